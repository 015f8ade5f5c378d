"""What junitparser makes of a JUnit XML. Argument: the file. Prints each test with its file and results."""

import json
import sys

from junitparser import JUnitXml

report = JUnitXml.fromfile(sys.argv[1])
tests = [test for suite in report for test in suite]
counts = [report.tests, report.failures, report.errors]
found = [len(tests), *(sum(type(result).__name__ == kind for test in tests for result in test.result) for kind in ("Failure", "Error"))]
if counts != found:
    sys.exit(f"the counts {counts} are not those of the tests {found}")
results = lambda test: [{"kind": type(result).__name__, "type": result.type, "message": result.message} for result in test.result]
print(json.dumps([{"file": test.classname, "name": test.name, "results": results(test)} for test in tests]))
