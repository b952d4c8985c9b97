#!/usr/bin/env python3
"""What the tests and scripts need of Helm, over its official library in the Python package helm-python-sdk.

  helm.py lint <chart> <values file>
  helm.py template <chart> <values file> <release> <namespace>
  helm.py install|upgrade <chart> <values file> <release> <namespace> <kubeconfig>
  helm.py rollback|uninstall|history <release> <namespace> <kubeconfig>

A values file is JSON or YAML. Prints the manifests, or JSON; exits with 1 and the message of Helm on standard error when it refuses.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '.cache', 'helm-python-sdk'))
import helm_python as helm  # noqa: E402


def values_in(path):
    with open(path, encoding='utf-8') as file:
        return helm.values_from_yaml(file.read())


def lint(chart, values):
    report = helm.lint(chart, values_in(values), strict=True)
    findings = [message for message in report.get('messages') or [] if message['severity'] > 1]
    problems = findings + (report.get('errors') or [])
    print(json.dumps(problems))
    return 1 if problems else 0


def template(chart, values, release, namespace):
    with helm.Chart.load(chart) as loaded:
        given = values_in(values)
        loaded.validate_schema(given)
        rendered = loaded.render(given, name=release, namespace=namespace, is_install=True)
    for path in sorted(rendered):
        if not path.endswith('.txt') and rendered[path].strip():
            lines = rendered[path].strip().removeprefix('---').splitlines()
            print('---\n# Source: ' + path)
            print('\n'.join(line.rstrip() for line in lines if line.strip()))
    return 0


def at(namespace, kubeconfig):
    return helm.Config(kubeconfig_path=kubeconfig, namespace=namespace)


def install(chart, values, release, namespace, kubeconfig):
    with at(namespace, kubeconfig) as config:
        config.install(chart, release, values_in(values), namespace=namespace, timeout=60)
    return 0


def upgrade(chart, values, release, namespace, kubeconfig):
    with at(namespace, kubeconfig) as config:
        config.upgrade(chart, release, values_in(values), namespace=namespace, reset_values=True, timeout=60)
    return 0


def rollback(release, namespace, kubeconfig):
    with at(namespace, kubeconfig) as config:
        config.rollback(release)
    return 0


def uninstall(release, namespace, kubeconfig):
    with at(namespace, kubeconfig) as config:
        config.uninstall(release)
    return 0


def history(release, namespace, kubeconfig):
    with at(namespace, kubeconfig) as config:
        print(json.dumps(config.history(release), default=str))
    return 0


COMMANDS = {f.__name__: f for f in (lint, template, install, upgrade, rollback, uninstall, history)}

if __name__ == '__main__':
    try:
        sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
    except helm.HelmError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
