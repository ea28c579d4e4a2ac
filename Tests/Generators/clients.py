"""The clients that generators make of openapi.yaml: how each is made, compiled and run.

Environment:

- `POSTILION_PROGRAM`: the program that is tested. `.build/debug/postilion` unless set.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import ruamel.yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
CONTRACT = ROOT / "openapi.yaml"
# Where the generators themselves are.
BIN = pathlib.Path(sys.executable).parent
# Seconds. Nothing is expected to be slow; this only ends what would never end.
DEADLINE = 900


def contract():
    """What openapi.yaml says."""
    return ruamel.yaml.YAML(typ="safe").load(CONTRACT)


def operations():
    """The ids of all operations."""
    return [operation["operationId"] for path in contract()["paths"].values()
            for operation in path.values()
            if isinstance(operation, dict) and "operationId" in operation]


def run(*command, folder=None, **environment):
    """Runs a program that must succeed, and gives its output."""
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=os.environ | environment,
        capture_output=True, text=True, timeout=DEADLINE)
    if done.returncode:
        raise AssertionError(
            f"{command}: {done.returncode}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}")
    return done.stdout + done.stderr


def generate(generator, folder, *options):
    """Has openapi-generator make a client."""
    return run(BIN / "openapi-generator-cli", "generate", "-i", CONTRACT, "-g", generator,
               "-o", folder, *options)


def snake(name):
    """`listApps` as `list_apps`."""
    return re.sub("([A-Z]+)", r"_\1", name).lower()


class OpenAPIPythonClient:
    """openapi-python-client."""

    def __init__(self, folder):
        self.folder = folder / "openapi-python-client"
        self.output = ""

    def make(self):
        """Makes the client."""
        self.output = run(
            BIN / "openapi-python-client", "generate", "--path", CONTRACT, "--meta", "none",
            "--output-path", self.folder / "postilion_client",
            PATH=f"{BIN}:{os.environ['PATH']}")

    def name(self, operation):
        """The name that the client has for an operation."""
        return snake(operation)

    def names(self):
        """The names of the operations that the client has."""
        return {path.stem for path in self.folder.glob("postilion_client/api/*/*.py")}

    def compile(self):
        """Checks the types of the client and of the program beside it."""
        # This file is the same for every contract, and is at odds with the types of httpx.
        (self.folder / "mypy.ini").write_text(
            "[mypy]\n[mypy-postilion_client.client]\nignore_errors = True\n")
        run(sys.executable, "-m", "mypy", PROGRAMS / "openapi_python_client.py", "postilion_client",
            "--python-executable", sys.executable, "--cache-dir", self.folder / "cache",
            folder=self.folder, MYPYPATH=str(self.folder))

    def round_trip(self, **environment):
        """Runs the program."""
        return run(sys.executable, PROGRAMS / "openapi_python_client.py",
                   PYTHONPATH=str(self.folder), **environment)


class Python(OpenAPIPythonClient):
    """openapi-generator, for Python."""

    def __init__(self, folder):
        super().__init__(folder)
        self.folder = folder / "python"

    def make(self):
        self.output = generate("python", self.folder, "--package-name", "postilion")

    def names(self):
        text = "".join(path.read_text() for path in self.folder.glob("postilion/api/*_api.py"))
        return set(re.findall(r"^    def (\w+)\(", text, re.MULTILINE))

    def compile(self):
        # Its own types are not all right (mypy finds ten faults), whatever the contract: so every
        # module is compiled, and loaded by the program.
        run(sys.executable, "-m", "compileall", "-q", self.folder / "postilion")

    def round_trip(self, **environment):
        return run(sys.executable, PROGRAMS / "openapi_generator_python.py",
                   PYTHONPATH=str(self.folder), **environment)


class TypeScript:
    """openapi-generator, for TypeScript (typescript-fetch)."""

    def __init__(self, folder):
        self.folder = folder / "typescript"
        self.output = ""

    def make(self):
        """Makes the client, with the program in it."""
        self.output = generate("typescript-fetch", self.folder)
        shutil.copy(PROGRAMS / "round_trip.ts", self.folder)
        # TypeScript before 4.9 takes what the client does with unknown objects for untyped.
        (self.folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": {
            "target": "es2020", "module": "commonjs", "moduleResolution": "node",
            "lib": ["es2020", "dom"], "strict": True, "noImplicitAny": False,
            "outDir": "built"}}))

    def name(self, operation):
        """The name that the client has for an operation."""
        return operation

    def names(self):
        """The names of the operations that the client has."""
        text = "".join(path.read_text() for path in self.folder.glob("apis/*.ts"))
        return set(re.findall(r"^    async (\w+)\(", text, re.MULTILINE))

    def compile(self):
        """Compiles client and program, which checks their types."""
        run("tsc", "--project", self.folder)

    def round_trip(self, **environment):
        """Runs the program."""
        return run("node", self.folder / "built/round_trip.js", **environment)


class Go:
    """openapi-generator, for Go."""

    def __init__(self, folder):
        self.folder = folder / "go"
        self.package = self.folder / "src/postilion"
        self.output = ""

    def make(self):
        """Makes the client, with the program beside it."""
        self.output = generate(
            "go", self.package, "--additional-properties",
            "packageName=postilion,enumClassPrefix=true,generateInterfaces=false")
        shutil.rmtree(self.package / "test")
        for name, place in {"round_trip.go": "round_trip", "patterns.go": "patterns",
                            "validator.go": "gopkg.in/validator.v2"}.items():
            (self.folder / "src" / place).mkdir(parents=True, exist_ok=True)
            shutil.copy(PROGRAMS / name, self.folder / "src" / place)

    def name(self, operation):
        """The name that the client has for an operation."""
        return operation[0].upper() + operation[1:]

    def names(self):
        """The names of the operations that the client has."""
        text = "".join(path.read_text() for path in self.package.glob("api_*.go"))
        return set(re.findall(r"^func \(a \*\w+\) (\w+)Execute\(", text, re.MULTILINE))

    def build(self, program):
        """Compiles a program; gives its path."""
        path = self.folder / "bin" / program
        # Without modules: none can be fetched here.
        run("go", "build", "-o", path, program, GO111MODULE="off", GOPATH=str(self.folder),
            GOCACHE=str(ROOT / ".build/generators/go-cache"))
        return path

    def compile(self):
        """Compiles the client and the program."""
        self.build("round_trip")

    def round_trip(self, **environment):
        """Runs the program."""
        return run(self.folder / "bin/round_trip", **environment)
