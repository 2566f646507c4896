"""tests/conform/python/sqlite.py -- sqlite3 in memory and in a file.  SPDX-License-Identifier: MIT"""
import os
import sqlite3
import tempfile

path = os.path.join(tempfile.mkdtemp(), "test.db")
for name in (":memory:", path):
    db = sqlite3.connect(name)
    db.execute("create table t (id integer primary key, name text, score real, raw blob)")
    with db:
        db.executemany("insert into t (name, score, raw) values (?, ?, ?)",
                       [("a", 1.5, b"\x00"), ("b", None, None), ("ü", 3, b"xyz")])
    print(db.execute("select * from t order by id").fetchall())
    db.row_factory = sqlite3.Row
    row = db.execute("select name, score * 2 as twice from t where id = ?", (1,)).fetchone()
    print(dict(row), row.keys())
    db.create_function("rev", 1, lambda s: s[::-1])
    print(db.execute("select rev('abc'), upper('x'), count(*), avg(score) from t").fetchone()[:])
    try:
        with db:
            db.execute("update t set name = 'z'")
            db.execute("insert into t (id) values (1)")
    except sqlite3.IntegrityError as error:
        print(error)
    print([r[0] for r in db.execute("select name from t")])
    print(list(db.iterdump())[1])
    db.close()
print(os.path.getsize(path) > 0)
db = sqlite3.connect(path)
db.execute("pragma journal_mode = wal")
print(db.execute("with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select sum(i) from n")
      .fetchone())
