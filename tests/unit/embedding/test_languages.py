"""The language of a text: hand cases."""

import pytest

from core.embedding.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where is my parcel?", "English"),
        ("What does the word est mean?", "English"),
        ("In which country was Aimé born?", "English"),
        ("send_money { 50 as sum_usd, Ines as payee_name }", "English"),
        ("Wo ist mein Paket?", "German"),
        ("Grüße", "German"),
        ("Où est mon colis ?", "French"),
        ("¿Dónde está mi paquete?", "Spanish"),
        ("Come posso cambiare il mio indirizzo?", "Italian"),
        ("Onde está a minha encomenda?", "Portuguese"),
        ("Waar is mijn pakket?", "Dutch"),
        ("Gdzie jest moja paczka?", "Polish"),
        ("Siparişimi iptal etmek istiyorum.", "Turkish"),
        ("Где моя посылка?", "Cyrillic letters"),
        ("我的包裹在哪里？", "Chinese"),
        ("荷物はどこですか", "Japanese"),
        ("나의 소포는 어디에 있습니까?", "Korean"),
        ("พัสดุของฉันอยู่ที่ไหน", "Thai"),
        ("Πού είναι το δέμα μου;", "Greek letters"),
        ("სად არის ჩემი ამანათი?", "Georgian letters"),
        ("Ｗｈｅｒｅ ｉｓ ｉｔ？", "English"),
        ("München 1972", "German"),
        ("def encode(self, texts): return rows[0]", ""),
        ("Paris", ""),
        ("42 %", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_text(text, language):
    assert language_of(text) == language
