"""Files in the encodings that people's programs write: read back equal, and how sure that was."""

import csv
import io
import json
import random

import pytest

from core.curation import Encoding, Sureness, find_encoding, import_file, read_table
from core.curation.files.decoding import known_encoding
from core.curation.files.encoding_guess import PLAUSIBLE, guess, sample_of

RUSSIAN = [
    ("Почему небо голубое?", "Воздух рассеивает синий свет сильнее красного."),
    ("Сколько планет в Солнечной системе?", "Восемь: Плутон считается карликовой планетой."),
    ("Правда ли, что летучие мыши слепы?", "Нет, они видят, а многие ещё и хорошо слышат эхо."),
    ("Кто написал «Войну и мир»?", "Лев Николаевич Толстой."),
]
POLISH = [
    ("Czy żółwie mają zęby?", "Nie, współczesne żółwie mają rogowy dziób."),
    ("Jak nazywa się stolica Polski?", "Stolicą Polski jest Warszawa, leżąca nad Wisłą."),
    ("Dlaczego liście jesienią żółkną?", "Chlorofil się rozkłada i widać inne barwniki."),
    ("Czy Wielki Mur widać z Księżyca?", "Nie, gołym okiem nie da się go dostrzec."),
]
CZECH = [
    ("Proč je obloha modrá?", "Světlo se rozptyluje na molekulách vzduchu, modré nejsilněji."),
    ("Kde leží Příbram?", "Příbram leží ve Středočeském kraji, jihozápadně od Prahy."),
    ("Kolik nohou má pavouk?", "Osm; šest nohou mají hmyzí druhy."),
    ("Je žralok savec?", "Ne, žralok je ryba, dýchá žábrami."),
]
JAPANESE = [
    ("空はなぜ青いのですか？", "空気の分子が青い光を強く散乱するからです。"),
    ("日本で一番高い山は何ですか？", "富士山です。高さは3,776メートルです。"),
    ("コウモリは目が見えないのですか？", "いいえ、コウモリは目が見えます。"),
    ("「坊っちゃん」を書いたのは誰ですか？", "夏目漱石です。"),
]
SIMPLIFIED = [
    ("天空为什么是蓝色的？", "空气分子对蓝光的散射比红光更强。"),
    ("中国最长的河流是哪一条？", "长江，全长约6,300公里。"),
    ("蝙蝠是瞎子吗？", "不是，蝙蝠看得见，许多还会用回声定位。"),
    ("《红楼梦》的作者是谁？", "曹雪芹。"),
]
TRADITIONAL = [
    ("天空為什麼是藍色的？", "空氣分子對藍光的散射比紅光更強。"),
    ("台灣最高的山是哪一座？", "玉山，海拔3,952公尺。"),
    ("蝙蝠是瞎子嗎？", "不是，蝙蝠看得見，許多還會用回聲定位。"),
    ("《紅樓夢》的作者是誰？", "曹雪芹。"),
]
KOREAN = [
    ("하늘은 왜 파란가요?", "공기 분자가 파란 빛을 더 강하게 산란시키기 때문입니다."),
    ("한국에서 가장 높은 산은 무엇입니까?", "한라산이며 높이는 1,947미터입니다."),
    ("박쥐는 눈이 멀었나요?", "아니요, 박쥐는 볼 수 있습니다."),
]
FRENCH = [
    ("Pourquoi le ciel est-il bleu ?", "Parce que l’air diffuse la lumière bleue ; c’est connu."),
    ("Où se trouve la forêt de Fontainebleau ?", "Près de Paris, à soixante kilomètres."),
    ("Le pingouin vit-il au pôle Sud ?", "Non : là-bas vivent des manchots."),
    ("Combien coûte un café ?", "Environ 2 € en moyenne, à Lyon."),
    ("Qu’est-ce qu’un œuf ?", "La cellule d’où naît l’oiseau, déjà protégée par sa coquille."),
]
GERMAN = [
    ("Ist der Mond aus Käse?", "Nein, er besteht aus Gestein."),
    ("Wie heißt die größte Stadt Österreichs?", "Wien, mit etwa zwei Millionen Einwohnern."),
    ("Können Fledermäuse sehen?", "Ja, sie sehen und hören gut."),
    ("Was kostet „Der Prozeß“?", "Etwa 8 € – je nach Ausgabe."),
]
GREEK = [
    ("Γιατί ο ουρανός είναι γαλάζιος;", "Ο αέρας σκεδάζει περισσότερο το γαλάζιο φως."),
    ("Ποια είναι η πρωτεύουσα της Ελλάδας;", "Η Αθήνα."),
]
TURKISH = [
    ("Gökyüzü neden mavidir?", "Hava molekülleri mavi ışığı daha çok saçtığı için."),
    ("Türkiye'nin başkenti neresidir?", "Ankara'dır; en kalabalık şehir ise İstanbul'dur."),
]
WRITTEN = {
    "cp1251": (RUSSIAN, "cp1251"),
    "koi8-r": (RUSSIAN[:3], "koi8-r"),
    "cp866": (RUSSIAN[:3], "cp866"),
    "cp1250": (POLISH, "cp1250"),
    "cp1250 (Czech)": (CZECH, "cp1250"),
    "cp932": (JAPANESE, "cp932"),
    "shift_jis": (JAPANESE, "cp932"),
    "euc_jp": (JAPANESE, "euc_jp"),
    "gb18030": (SIMPLIFIED, "gb18030"),
    "gbk": (SIMPLIFIED, "gb18030"),
    "big5": (TRADITIONAL, "cp950"),
    "cp949": (KOREAN, "cp949"),
    "cp1252": (FRENCH, "cp1252"),
    "cp1252 (German)": (GERMAN, "cp1252"),
    "cp1253": (GREEK, "cp1253"),
    "cp1254": (TURKISH, "cp1254"),
}


def as_csv(pairs):
    out = io.StringIO()
    csv.writer(out).writerows([("query", "answer"), *pairs])
    return out.getvalue()


def as_jsonl(pairs):
    return "".join(
        json.dumps({"query": query, "answer": answer}, ensure_ascii=False) + "\r\n"
        for query, answer in pairs
    )


def pairs_of(table):
    return [(row["query"], row["answer"]) for row in table.rows]


WRITERS = {"a.csv": as_csv, "a.jsonl": as_jsonl}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("written", WRITTEN)
def test_an_older_encoding_is_guessed_and_read_back_equal(write, name, written):
    pairs, reported = WRITTEN[written]
    path = write(name, WRITERS[name](pairs), encoding=written.split()[0])
    table = read_table(path)
    assert pairs_of(table) == pairs
    assert table.encoding == reported
    assert table.encoding_sureness in (Sureness.LIKELY, Sureness.UNSURE)
    found = find_encoding(path)
    assert (found.name, found.sureness, found.others) == (
        table.encoding, table.encoding_sureness, table.other_encodings,
    )  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "written", ["cp1251", "koi8-r", "cp1250", "cp932", "euc_jp", "gb18030", "big5", "cp1252"]
)
def test_enough_text_is_likely(write, name, written):
    table = read_table(write(name, WRITERS[name](WRITTEN[written][0]), encoding=written))
    assert table.encoding_sureness is Sureness.LIKELY


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    ("written", "reported"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("utf-16", "utf-16"), ("utf-32", "utf-32")],
)
@pytest.mark.parametrize("pairs", [RUSSIAN, JAPANESE, FRENCH])
def test_unicode_is_certain(write, name, written, reported, pairs):
    table = read_table(write(name, WRITERS[name](pairs), encoding=written))
    assert pairs_of(table) == pairs
    assert (table.encoding, table.encoding_sureness, table.other_encodings) == (
        reported, Sureness.CERTAIN, (),
    )  # fmt: skip


def test_a_gzipped_file_is_guessed_all_the_same(write):
    import gzip

    path = write("a.csv", gzip.compress(as_csv(RUSSIAN).encode("cp1251")))
    assert pairs_of(read_table(path)) == RUSSIAN


def test_too_few_letters_are_unsure_and_the_others_are_named(write):
    table = read_table(write("a.csv", "query,answer\nWhat is it?,A café\n", encoding="cp1252"))
    assert pairs_of(table) == [("What is it?", "A café")]
    assert (table.encoding, table.encoding_sureness) == ("cp1252", Sureness.UNSURE)
    assert "cp1251" in table.other_encodings
    assert "cp1252" not in table.other_encodings


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Où est le café ?", "mac-roman"),
        ("Grüße aus Köln", "mac-roman"),
        ("¿Dónde está Perú?", "cp1252"),
        ("Città e perché", "cp850"),
        ("Příliš žluťoučký kůň", "iso8859-2"),
        ("Zażółć gęślą jaźń", "cp852"),
        ("Где кот?", "koi8-r"),
        ("Где кот?", "cp866"),
    ],
)
def test_about_a_short_text_a_person_is_asked(write, text, encoding):
    table = read_table(write("a.csv", f"query,answer\n{text},x\n", encoding=encoding))
    assert table.encoding_sureness is Sureness.UNSURE
    assert encoding in (table.encoding, *table.other_encodings)
    chosen = read_table(
        write("a.csv", f"query,answer\n{text},x\n", encoding=encoding), encoding=encoding
    )
    assert pairs_of(chosen) == [(text, "x")]


@pytest.mark.parametrize("seed", range(5))
def test_letters_without_sense_are_unsure(write, seed):
    letters = bytes(random.Random(seed).choices(range(0xA1, 0x100), k=200))
    lines = b"\n".join(letters[at : at + 10] + b",a" for at in range(0, 200, 10))
    table = read_table(write("a.csv", b"query,answer\n" + lines))
    assert table.encoding_sureness is Sureness.UNSURE


def test_the_mark_of_gb18030_is_no_letter(write):
    table = read_table(write("a.csv", "\ufeff" + as_csv(SIMPLIFIED), encoding="gb18030"))
    assert table.columns == ["query", "answer"]
    assert pairs_of(table) == SIMPLIFIED


def test_letters_late_in_a_long_file_decide(write):
    plain = [(f"Question {number}?", "An answer.") for number in range(5_000)]
    table = read_table(write("a.csv", as_csv(plain + RUSSIAN), encoding="cp1251"))
    assert pairs_of(table) == plain + RUSSIAN
    assert table.encoding == "cp1251"


def test_one_long_line_is_guessed(write):
    rows = [{"query": query, "answer": answer} for query, answer in JAPANESE * 500]
    path = write("a.json", json.dumps(rows, ensure_ascii=False), encoding="cp932")
    assert path.stat().st_size > 100_000
    table = read_table(path)
    assert pairs_of(table) == JAPANESE * 500
    assert table.encoding_sureness is Sureness.LIKELY


def test_the_sample_is_small_whole_and_from_all_of_the_file():
    lines = [f"строка {number}".encode("cp1251") for number in range(10_000)]
    sample = sample_of([b"plain", *lines], 1_000).split(b"\n")
    assert sum(map(len, sample)) <= 1_000
    assert set(sample) <= set(lines)
    assert lines.index(sample[-1]) > 9_000


def test_of_encodings_that_make_the_same_text_the_commonest_is_named():
    assert guess("süß und schön".encode("cp1252"))[0].encoding == "cp1252"


def test_a_damaged_letter_in_a_utf_8_file_spoils_its_own_line_only(write):
    content = as_csv(JAPANESE * 10).encode() + b"\xe3\x81,x\r\n"
    table = read_table(write("a.csv", content))
    assert pairs_of(table)[:-1] == JAPANESE * 10
    assert table.encoding.startswith("utf-8 and ")
    assert table.encoding_sureness is Sureness.UNSURE


def test_a_named_encoding_is_taken_even_for_a_file_that_looks_like_another(write):
    path = write("a.csv", as_csv(RUSSIAN), encoding="cp1251")
    table = read_table(path, encoding="ISO-8859-5")
    assert pairs_of(table)[0][0] == RUSSIAN[0][0].encode("cp1251").decode("iso8859-5")
    assert (table.encoding, table.encoding_sureness) == ("iso8859-5", Sureness.CHOSEN)
    assert pairs_of(read_table(path, encoding="windows-1251")) == RUSSIAN


def test_utf_16_without_a_mark_can_be_named(write):
    path = write("a.csv", as_csv(FRENCH), encoding="utf-16-le")
    assert pairs_of(read_table(path, encoding="utf-16-le")) == FRENCH


def test_a_mark_is_no_letter_under_a_named_encoding(write):
    table = read_table(write("a.csv", as_csv(FRENCH), encoding="utf-8-sig"), encoding="utf-8")
    assert table.columns == ["query", "answer"]


@pytest.mark.parametrize(
    ("name", "content", "encoding", "message"),
    [
        ("a.csv", as_csv(FRENCH), "klingon", 'no encoding "klingon": name one that Python knows'),
        ("a.csv", as_csv(FRENCH), "", 'no encoding "": name one'),
        ("a.csv", as_csv(FRENCH), "rot13", 'no encoding "rot13"'),
        ("a.csv", as_csv(FRENCH), "unicode_escape", 'no encoding "unicode_escape"'),
        ("a.csv", as_csv(FRENCH).encode("cp1252"), "utf-8", "a.csv is not in utf-8: byte 5"),
        ("a.csv", as_csv(FRENCH), "ascii", "a.csv is not in ascii: byte "),
        ("a.csv", bytes(range(256)) * 8, "latin-1", "is not text but contains control characters"),
        ("a.parquet", b"PAR1", "cp1251", "read as parquet, which has its own encoding: leave"),
    ],
)
def test_an_encoding_that_cannot_be_is_one_sentence(
    write, store, one_sentence, name, content, encoding, message
):
    path = write(name, content)
    with one_sentence(message):
        import_file(store, read_table(path, encoding=encoding), "new")
    assert store.pools.all() == []


@pytest.mark.parametrize("encoding", PLAUSIBLE)
def test_every_plausible_encoding_is_named_as_python_names_it(encoding):
    assert known_encoding(encoding) == encoding
    assert Encoding(encoding).in_words == f"{encoding} ({PLAUSIBLE[encoding]})"


def test_an_encoding_without_a_purpose_is_its_name():
    assert Encoding("utf-8").in_words == "utf-8"


def test_a_binary_format_has_no_encoding_to_find(write):
    assert find_encoding(write("a.parquet", b"PAR1")) is None
