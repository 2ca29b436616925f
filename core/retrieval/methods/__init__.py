"""One file a method, or a family that differs by its lambdas only; `registry` names them all."""
