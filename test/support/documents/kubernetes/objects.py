"""Reads YAML documents from standard input and writes them as a JSON list of {object, problems}.

Problems are what strict schemas find in a document. The arguments are the Kubernetes versions whose
schemas to use, and files of custom resource definitions; with no arguments nothing is looked for.
What checks is imported only where it is needed, because that takes longer than reading a file.
"""

import json
import sys

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def problems(document, versions, custom):
    if not versions and not custom:
        return []
    schema = custom.get((document["apiVersion"], document["kind"]))
    if schema is None and not versions:
        return ["none of the files defines it"]
    if schema is None:
        return [p for v in versions if (p := problem(document, v))]
    import jsonschema

    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [f"{'.'.join(map(str, error.path))}: {error.message}" for error in errors]


def problem(document, version):
    import kubernetes_validate

    try:
        kubernetes_validate.validate(document, version, strict=True)
        return None
    except kubernetes_validate.ValidationError as error:
        return f"{version}: {'.'.join(map(str, error.path))}: {error.message}"
    except kubernetes_validate.SchemaNotFoundError as error:
        return error.message


def custom_schemas(files):
    """The schemas of the resources that the files define, by apiVersion and kind."""
    schemas = {}
    for file in files:
        with open(file, encoding="utf-8") as opened:
            spec = yaml.load(opened, LOADER)["spec"]
        for version in spec["versions"]:
            key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            schemas[key] = strict(version["schema"]["openAPIV3Schema"])
    return schemas


def strict(schema):
    """A copy that refuses the fields that the schema does not name."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: strict(value) for key, value in schema.items()}
    return {"additionalProperties": False, **copy} if "properties" in schema else copy


def main(arguments):
    files = [each for each in arguments if each.endswith(".yaml")]
    versions = [each for each in arguments if each not in files]
    custom = custom_schemas(files)
    documents = [each for each in yaml.load_all(sys.stdin, LOADER) if each]
    json.dump(
        [{"object": each, "problems": problems(each, versions, custom)} for each in documents],
        sys.stdout,
    )


main(sys.argv[1:])
