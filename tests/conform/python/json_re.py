"""tests/conform/python/json_re.py -- text in and out.  SPDX-License-Identifier: MIT"""
import base64
import difflib
import hashlib
import hmac
import html
import json
import pickle
import pprint
import re
import string
import struct
import textwrap
import unicodedata
import urllib.parse
import xml.etree.ElementTree as xml

data = {"b": [1, 2.5, None, True, "ü\n\u2028"], "a": {"nested": {"deep": []}}}
print(json.dumps(data), json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False))
print(json.loads('{"x": 1e3, "y": [NaN, -Infinity], "big": 123456789012345678901234567890}'))
try:
    json.loads('{"a": }')
except json.JSONDecodeError as error:
    print(error, error.lineno, error.colno)
print(json.dumps({1: "a", None: 2}), json.dumps(object(), default=lambda o: "object"))
print(re.findall(r"(\w+)@(\w+)\.com", "a@b.com, cc@dd.com"))
print(re.sub(r"(?P<y>\d{4})-(?P<m>\d\d)", r"\g<m>/\g<y>", "2026-01 and 2025-12"))
print(re.split(r"[,;]\s*", "a, b;c"), re.fullmatch("a+", "aaa").span())
print([m.group() for m in re.finditer(r"(?<=\$)\d+", "$5 and $77")], re.compile("x", re.I | re.M))
print(hashlib.sha256(b"abc").hexdigest(), hashlib.md5(b"").hexdigest())
print(hashlib.blake2b(b"x", digest_size=8).hexdigest(), hashlib.sha3_256(b"x").hexdigest())
print(hmac.new(b"key", b"message", "sha1").hexdigest())
print(base64.b64encode(bytes(range(10))), base64.urlsafe_b64decode("-_8="), base64.b32encode(b"hi"))
print(html.escape("<a href='x'>"), html.unescape("&eacute;&#8364;"))
print(urllib.parse.urlparse("https://u:p@host:80/p;x?q=1#f"), urllib.parse.quote("a b/ü"))
print(urllib.parse.parse_qs("a=1&a=2&b="), urllib.parse.urljoin("http://a/b/c", "../d"))
print(textwrap.fill("the quick brown fox " * 3, 30), string.Template("$a ${b}").substitute(a=1, b=2))
print(struct.pack("<IHb", 1, 2, -3), struct.unpack(">d", struct.pack(">d", 1.5)))
print(unicodedata.name("é"), unicodedata.normalize("NFD", "é").encode())
print("\n".join(difflib.unified_diff(["a", "b"], ["a", "c"], lineterm="")))
print(pickle.loads(pickle.dumps({"x": {1, 2}, "y": (1, [2])})))
pprint.pprint({i: list(range(i)) for i in range(12)}, width=40)
tree = xml.fromstring("<r a='1'><c>t</c><c/></r>")
print(tree.attrib, [c.text for c in tree], xml.tostring(tree))
