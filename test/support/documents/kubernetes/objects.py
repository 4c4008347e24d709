"""Reads YAML documents from standard input and writes them as a JSON list of {object, problems}.

Problems are what the strict schemas of the Kubernetes versions named as arguments find in a
document; with no arguments nothing is looked for.
"""

import json
import sys

import kubernetes_validate
import yaml


def problem(document, version):
    try:
        kubernetes_validate.validate(document, version, strict=True)
        return None
    except kubernetes_validate.ValidationError as error:
        return f"{version}: {'.'.join(map(str, error.path))}: {error.message}"
    except kubernetes_validate.SchemaNotFoundError as error:
        return error.message


def main(versions):
    documents = [each for each in yaml.safe_load_all(sys.stdin) if each]
    json.dump(
        [
            {"object": each, "problems": [p for v in versions if (p := problem(each, v))]}
            for each in documents
        ],
        sys.stdout,
    )


main(sys.argv[1:])
