"""tests/conform/python/processes.py -- other programs and forks.  SPDX-License-Identifier: MIT"""
import os
import signal
import subprocess
import sys

print(subprocess.run(["echo", "a b"], capture_output=True, text=True).stdout)
print(subprocess.check_output("printf x | tr x y; exit 0", shell=True))
failed = subprocess.run(["sh", "-c", "echo oops >&2; exit 3"], capture_output=True)
print(failed.returncode, failed.stderr)
code = "import sys; print(sys.argv[1:], sys.stdin.read(), __name__)"
print(subprocess.run([sys.executable, "-c", code, "x", "y"], input="in", capture_output=True, text=True).stdout)
try:
    subprocess.run(["/no/such/program"])
except FileNotFoundError as error:
    print(error)
try:
    subprocess.run(["sleep", "10"], timeout=0.05)
except subprocess.TimeoutExpired as error:
    print(error.cmd)
try:
    subprocess.run(["false"], check=True)
except subprocess.CalledProcessError as error:
    print(error)
victim = subprocess.Popen(["sleep", "10"])
victim.terminate()
print(victim.wait() == -signal.SIGTERM)
first = subprocess.Popen(["printf", "b\\na\\n"], stdout=subprocess.PIPE)
second = subprocess.run(["sort"], stdin=first.stdout, capture_output=True, text=True)
first.stdout.close()
print(second.stdout.split(), first.wait())
print(subprocess.run(["env"], env={"ONLY": "1"}, capture_output=True, text=True).stdout)
print(os.popen("echo popen").read(), os.system("exit 4") >> 8)
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.close(read)
    os.write(write, b"from the child")
    os._exit(5)
os.close(write)
print(os.read(read, 100), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    print("a child that ends like a script")
    sys.exit(6)
print(os.waitpid(pid, 0)[1] >> 8)
