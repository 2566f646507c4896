"""tests/conform/python/files.py -- files and folders.  SPDX-License-Identifier: MIT"""
import glob
import io
import mmap
import os
import pathlib
import shutil
import stat
import tempfile

top = tempfile.mkdtemp()
os.chdir(top)
with open("a.txt", "w") as out:
    out.write("line 1\nline 2\nzwölf\n")
print(open("a.txt", encoding="utf-8").readlines(), os.path.getsize("a.txt"))
with open("a.txt", "a+b") as both:
    both.write(b"\x00\xff")
    both.seek(2)
    print(both.read(4), both.tell())
pathlib.Path("d/e").mkdir(parents=True)
(pathlib.Path("d") / "e" / "x.json").write_text("{}")
print(sorted(str(p) for p in pathlib.Path(".").rglob("*")))
print(sorted(glob.glob("**/*.json", recursive=True)))
shutil.copytree("d", "copy")
os.rename("copy/e/x.json", "copy/e/y.json")
os.symlink("a.txt", "link")
print(os.readlink("link"), os.path.islink("link"), os.lstat("link").st_size)
os.chmod("a.txt", 0o640)
print(stat.filemode(os.stat("a.txt").st_mode), oct(os.stat("a.txt").st_mode & 0o777))
os.utime("a.txt", (1000000000, 1000000000))
print(os.stat("a.txt").st_mtime)
for folder, folders, names in sorted(os.walk(".")):
    print(folder, sorted(folders), sorted(names))
try:
    open("missing")
except FileNotFoundError as error:
    print(error, error.errno)
try:
    os.mkdir("d")
except FileExistsError as error:
    print(error)
try:
    os.rmdir("d")
except OSError as error:
    print(error.strerror)
with open("big", "wb") as big:
    big.truncate(1 << 20)
with open("big", "r+b") as big, mmap.mmap(big.fileno(), 0) as view:
    view[5:8] = b"abc"
    print(view.find(b"abc"), len(view))
print(open("big", "rb").read(10))
with tempfile.NamedTemporaryFile("w+", suffix=".t") as temporary:
    temporary.write("x" * 10)
    temporary.flush()
    print(os.path.exists(temporary.name), os.path.getsize(temporary.name))
with tempfile.TemporaryFile() as temporary:
    temporary.write(b"abc")
    temporary.seek(0)
    print(temporary.read())
print(io.StringIO("a\nb").readlines(), io.BytesIO(b"12345").getbuffer()[2])
fd = os.open("raw", os.O_RDWR | os.O_CREAT)
os.write(fd, b"hello")
print(os.pread(fd, 3, 1), os.lseek(fd, 0, os.SEEK_END))
os.close(fd)
os.chdir("/")
shutil.rmtree(top)
print(os.path.exists(top))
never_closed = open(tempfile.gettempdir() + "/never-closed", "w")
never_closed.write("flushed at exit")
