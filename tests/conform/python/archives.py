"""tests/conform/python/archives.py -- zip, tar, gzip, csv, configuration.  SPDX-License-Identifier: MIT"""
import bz2
import configparser
import csv
import gzip
import io
import lzma
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib

os.chdir(tempfile.mkdtemp())
os.mkdir("in")
for name in ("a", "b"):
    with open("in/%s.txt" % name, "w") as out:
        out.write(name * 1000)
with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.write("in/a.txt")
    archive.writestr("made/c.txt", "hello")
with zipfile.ZipFile("x.zip") as archive:
    print(archive.namelist(), archive.read("made/c.txt"), archive.testzip(), archive.getinfo("in/a.txt").file_size)
for mode in ("gz", "bz2", "xz"):
    with tarfile.open("x.tar." + mode, "w:" + mode) as archive:
        archive.add("in")
    with tarfile.open("x.tar." + mode) as archive:
        print(mode, sorted(archive.getnames()), len(archive.extractfile("in/b.txt").read()))
print(os.path.basename(shutil.make_archive("all", "zip", "in")))
shutil.unpack_archive("all.zip", "out")
print(sorted(os.listdir("out")))
for module in (zlib, bz2, lzma, gzip):
    print(module.__name__, module.decompress(module.compress(b"data" * 100)) == b"data" * 100)
print(zlib.crc32(b"abc"), zlib.adler32(b"abc"))
text = io.StringIO(newline="")
writer = csv.DictWriter(text, ["n", "t"], quoting=csv.QUOTE_MINIMAL)
writer.writeheader()
writer.writerows([{"n": 1, "t": 'a "quoted", text'}, {"n": 2.5, "t": "two\nlines"}])
print(repr(text.getvalue()))
text.seek(0)
print([dict(row) for row in csv.DictReader(text)], csv.Sniffer().sniff("a;b;c\n1;2;3\n").delimiter)
config = configparser.ConfigParser()
config.read_string("[s]\na = 1\nb = %(a)s2\n")
print(config["s"]["b"], config.getint("s", "a"))
