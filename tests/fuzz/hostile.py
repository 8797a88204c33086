"""Hostile scenario files: what the loader has to refuse in words, or else to read.

File number n is a function of n and of the suite: half of the kinds are made up, half are files of
the suite in which something was changed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from simharness.campaign.shipped import suite_folder
from simharness.scenario.find import find_files

__all__ = ["KINDS", "hostile"]

Random = random.Random
HEAD = "scenario: hostile\n"
RUN = "run: [prompt: Hi]\n"
VALID = f"{HEAD}model: [[a, b]]\n{RUN}"


def hostile(number: int) -> tuple[str, bytes]:
    """The kind and the bytes of file `number`."""
    kinds = list(KINDS)
    kind = kinds[number % len(kinds)]
    return kind, KINDS[kind](random.Random(number))


def _size(draw: Random, most: int) -> int:
    """Small ones as often as large ones: drawn evenly on a logarithmic scale."""
    return int(2 ** draw.uniform(0, most.bit_length() - 1))


def _suite_text(draw: Random) -> str:
    return draw.choice(find_files([suite_folder()])).read_text(encoding="utf-8")


def _aliases(draw: Random) -> bytes:
    """Lists of aliases of lists of aliases; now and then one of itself, or of nothing."""
    width, levels = _size(draw, 64), _size(draw, 64)
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    strange = [
        "b: &b [*b]",
        "c: *nothing",
        "? *a0\n: d",
        "<<: *a0",
        "*a0 : e",
        "f: &a0 *a0",
        "g: &h",
    ]
    lines += draw.sample(strange, draw.randint(0, 3))
    draw.shuffle(lines)
    use = f"model: [*a{levels - 1}]\n"
    return f"{HEAD}{use}{RUN}".encode() + "\n".join(lines).encode()


def _depth(draw: Random) -> bytes:
    """Nested as deep as will go, in every notation."""
    depth = _size(draw, 100_000)
    few = min(depth, 2000)
    shapes = [
        f"model: {'[' * depth}{']' * draw.choice((depth, 0))}\n",
        f"tools: {'{a: ' * depth}b{'}' * depth}\n",
        "model:\n" + "".join(f"{' ' * n}-\n" for n in range(1, few)),
        f"model:\n  {'- ' * depth}a\n",
        f"{'? ' * depth}a\n",
        "tools:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, few)),
        f"for_each: {'{a: {each: [' * few}x{']}}' * few}\n",
        f"model: [{'{each: [' * few}x{']}' * few}]\n",
        f"model: {'&a ' * few}[]\n",
    ]
    return (HEAD + draw.choice(shapes) + RUN).encode()


def _length(draw: Random) -> bytes:
    """Much of everything: text, keys, items, documents, cases."""
    many = _size(draw, 200_000)
    few = min(many, 3000)
    shapes = [
        f"about: {'x' * 10 * many}\n",
        f"{'k' * many}: 1\n",
        "".join(f"k{n}: 1\n" for n in range(many)),
        f"model: [[{', '.join(['a'] * many)}]]\n",
        f"model: [[{', '.join(['{call: t}'] * few)}]]\ntools: {{t: x}}\n",
        f"model: [{{each: [{', '.join(map(str, range(many)))}]}}]\n",
        f"model: [[{', '.join(['{each: [a, b]}'] * min(many, 400))}]]\n",
        "---\n" * many,
        "\n" * many + "model: [\n",
        f"model: [['{'é' * many}']]\n",
        "# " + "c" * many + "\n",
        f"tools: {{{', '.join(f't{n}: x' for n in range(many))}}}\n",
        "run:\n- prompt: a\n" + "- cancel\n" * few,
        f"tags: [{'a, ' * many}]\n",
        f"for_each: {{{', '.join(f'k{n}: [a, b]' for n in range(few))}}}\n",
    ]
    return (HEAD + draw.choice(shapes) + (RUN if draw.random() < 0.8 else "")).encode()


_HUGE = (
    *("1e308", "1e9999", "-1", "0", "nan", ".inf", "9" * 30, "9" * 5000, "1e-300", "0x7f", "1_0"),
    *("1e9", "1e15", "99999999999999s", "1e300s", "-5ms", "0.0000001ms", "1e18m", "2147483648"),
    *("100000", "999999999", "9999999m"),
)
_SANE = ("1", "2", "3")


def _numbers(draw: Random) -> bytes:
    """One or two numbers or durations beyond all bounds, wherever one may stand."""
    places = [0.9, *draw.choices((0.0, 0.5), k=30)]
    draw.shuffle(places)

    def number() -> str:
        return draw.choice(_HUGE if draw.random() < places.pop() / 4 else _SANE)

    call = f"pieces: {number()}" if draw.random() < 0.5 else f"cut: [{number()}]"
    report = f"latency: {number()}, keeps_sending: {number()}, ends_after: {number()}"
    streams = [
        f"[a, {{wait: {number()}}}, b, {{usage: [{number()}, {number()}]}}]",
        f"{{stream: [a, b, c], burst: {number()}, every: {number()}}}",
        f"[{{call: {{name: t, args: {{abcdef: 1}}, {call}, index: {number()}}}}}]",
        f"{{stream: [a, b], on_cancel: {{report: aborted, {report}}}}}",
        f"[{{error: {{message: m, retryable: true, retry_after: {number()}}}}}]",
        f"[{{text: {{text: a, index: {number()}}}}}]",
    ]
    names = ("turn_limit", "cap", "batch", "token_limit", "time_limit", "idle_limit", "guard")
    action = draw.choice(
        (
            f"cancel: {{after: chunk {number()}}}",
            f"cancel: {{after: request {number()}}}",
            f"cancel: {{at: {number()}}}",
            f"wait: {number()}",
            f"quiesce: {{drain: {number()}}}",
            "kill",
        )
    )
    lines = [
        f"model: [{', '.join(draw.choices(streams, k=3))}]",
        f"tools: {{t: {{takes: {number()}, effects: {number()}}}}}",
        f"agent: {{{draw.choice(names)}: {number()}}}",
        f"store: {{slow: {number()}, fails: {number()}}}",
        *draw.choices((f"patience: {number()}", f"explore: {{bound: {number()}}}", ""), k=1),
        f"run: [{{prompt: Hi}}, {{{action}}}]",
    ]
    return (HEAD + "\n".join(lines)).encode()


def _products(draw: Random) -> bytes:
    """Much of one thing for each value of another: cases by steps, aliases by text."""
    many, other = _size(draw, 50_000), _size(draw, 2000)
    texts = ", ".join(["a"] * many)
    values = ", ".join(f"v{n}" for n in range(other))
    shapes = [
        f"for_each: {{v: [{values}]}}\nmodel: [[$v, {texts}]]\n",
        f"model: [[{{each: [{values}]}}, {texts}]]\n",
        f"tags: [&t {'x' * 10 * many}]\nmodel: [[{', '.join(['*t'] * other)}]]\n",
        f"tags: &t [{'x' * many}]\ncontract: [{', '.join(['*t'] * other)}]\nmodel: [[a]]\n",
        f"for_each: {{v: [{values}]}}\nmodel: [[$v, {'x' * 10 * many}]]\n",
        f"for_each: {{v: [{texts}], w: [$v, $v]}}\nmodel: [[$w, $v]]\n",
        f"for_each: {{v: [{values}]}}\nmodel: [[$v]]\nnonsense: [{texts}]\n",
        f"model: [[{{each: [{values}]}}]]\nexpect: {{history: [{texts}]}}\n",
        f"model: [[{{each: [{values}]}}]]\nexpect_if: [{', '.join(['{when: {a: b}}'] * other)}]\n",
        f"model: [[{{call: {{name: t, args: '{'[' * many}', pieces: {other}}}}}]]\n",
        f"model: [[{{call: {{name: t, args: '{'[' * many}{']' * many}'}}}}]]\ntools: {{t: x}}\n",
    ]
    return (HEAD + draw.choice(shapes) + RUN).encode()


def _encodings(draw: Random) -> bytes:
    """Text in other encodings, byte order marks, and characters that no text should hold."""
    text = draw.choice((VALID, _suite_text(draw)))
    names = ("utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-8-sig", "cp037", "utf-7")
    strange = "\0\x01\x1b\x7f\x85\u2028\u2029\ufeff\ufffe\U0010ffff\ue000\u202e\u0000\u200b"
    where = draw.randrange(len(text))
    raw = draw.choice(
        (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\0")
    )
    return draw.choice(
        (
            text.encode(draw.choice(names), "replace"),
            (text[:where] + draw.choice(strange) + text[where:]).encode("utf-8"),
            text[:where].encode() + raw + text[where:].encode(),
            text.replace("a", "ä").encode("latin-1", "replace"),
            text.replace("\n", draw.choice(("\r", "\r\n", "\x85", "\u2028"))).encode(),
            draw.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) * 3 + text.encode(),
            draw.randbytes(_size(draw, 10_000)),
        )
    )


_OTHERS = (
    *["[]", "{}", "null", "true", "1", "-1.5", "[[]]", "''", "*a", "&a", "$x", "?", "2020-01-01"],
    *("!!python/object:os.system x", "!!binary aGk=", "!!set {a}", '"\\0"', "|\n  text\n"),
    *("{a: 1}", "{each: []}", "{each: {}}", "{each: [a, b]}", "{each: 1}", "{each: {a: 1}, b: 2}"),
)


def _types(draw: Random) -> bytes:
    """A file of the suite with some values replaced by values of other types."""
    lines = _suite_text(draw).splitlines()
    for _ in range(draw.randint(1, 4)):
        where = draw.randrange(len(lines))
        key, colon, _value = lines[where].partition(": ")
        if colon:
            lines[where] = f"{key}: {draw.choice(_OTHERS)}"
        else:
            lines[where] += draw.choice((":", ": ", *_OTHERS))
    return "\n".join(lines).encode()


def _duplicates(draw: Random) -> bytes:
    """A file of the suite with keys, blocks or lines that come twice, or many times."""
    lines = _suite_text(draw).splitlines()
    start = draw.randrange(len(lines))
    end = start + draw.randint(1, 6)
    times = draw.choice((1, 1, 2, 1000))
    block = lines[start:end] * times
    if draw.random() < 0.3:
        block = [f'"{key}":{rest}' for key, _, rest in (line.partition(":") for line in block)]
    where = draw.choice((end, len(lines), draw.randrange(len(lines))))
    return "\n".join([*lines[:where], *block, *lines[where:]]).encode()


def _bytes(draw: Random) -> bytes:
    """A file of the suite that was cut off, or in which bytes were changed, lost or swapped."""
    data = bytearray(_suite_text(draw).encode())
    for _ in range(_size(draw, 32)):
        where = draw.randrange(len(data))
        act = draw.randrange(4)
        if act == 0:
            data[where] = draw.randrange(256)
        elif act == 1:
            del data[where : where + draw.randint(1, 20)]
        elif act == 2:
            data[where:where] = data[draw.randrange(len(data)) :][: draw.randint(1, 40)]
        else:
            data[where] = draw.choice(b"[]{}:,-?&*!|>'\"%@`#\n\t ")
        if len(data) < 2:
            break
    return bytes(data[: draw.randrange(len(data))] if draw.random() < 0.2 and data else data)


def _tokens(draw: Random) -> bytes:
    """Words and marks of the language in no order."""
    words = _suite_text(draw).replace("\n", " \n ").split(" ")
    marks = ["[", "]", "{", "}", ":", "- ", "\n", ", ", "&a", "*a", "|", ">", "'", '"', "? ", "%"]
    some: Sequence[str] = words + marks * 3
    salad = " ".join(draw.choice(some) for _ in range(_size(draw, 2000)))
    return (draw.choice(("", HEAD, VALID)) + salad).encode()


KINDS: dict[str, Callable[[Random], bytes]] = {
    "aliases": _aliases,
    "depth": _depth,
    "length": _length,
    "numbers": _numbers,
    "products": _products,
    "encodings": _encodings,
    "types": _types,
    "duplicate keys": _duplicates,
    "changed bytes": _bytes,
    "tokens": _tokens,
}
"""What is done to files, by name."""
