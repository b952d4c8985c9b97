"""Sets up a Keystone on SQLite in the directory given, serves it on a free port, and prints the port. It ends with its standard input."""

import os
import subprocess
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

directory = sys.argv[1]
config = os.path.join(directory, "keystone.conf")
for keys in ("fernet", "credential"):
    os.makedirs(os.path.join(directory, keys), mode=0o700)
with open(config, "w") as file:
    file.write(
        f"""[database]
connection = sqlite:///{directory}/keystone.db
[token]
provider = fernet
[fernet_tokens]
key_repository = {directory}/fernet
[credential]
key_repository = {directory}/credential
"""
    )


def manage(*arguments):
    command = ["keystone-manage", "--config-file", config, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments[0]} ended with {done.returncode}: {done.stdout[-2000:]}")


user = subprocess.check_output(["id", "-un"], text=True).strip()
group = subprocess.check_output(["id", "-gn"], text=True).strip()
manage("db_sync")
manage("fernet_setup", "--keystone-user", user, "--keystone-group", group)
manage("credential_setup", "--keystone-user", user, "--keystone-group", group)
manage("bootstrap", "--bootstrap-password", "admin")

os.environ["OS_KEYSTONE_CONFIG_DIR"] = directory
sys.argv = ["keystone"]
from keystone.server.wsgi import initialize_public_application  # noqa: E402


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = make_server("127.0.0.1", 0, initialize_public_application(), handler_class=Quiet)
print(f"port {server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
