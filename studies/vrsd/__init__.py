"""The study of VRSD: contexts whose sum is nearest to the query, compared with MMR and BM25."""
