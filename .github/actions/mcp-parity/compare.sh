#!/usr/bin/env bash
# Turns the inputs of the action into arguments, compares, and shows the report, also when the comparison failed.
set -uo pipefail

args=(run
  --control "$CONTROL" --control-era "$CONTROL_ERA"
  --candidate "$CANDIDATE" --candidate-era "$CANDIDATE_ERA"
  --cases "$CASES"
  --json "$REPORTS/report.json" --junit "$REPORTS/junit.xml" --html "$REPORTS/report.html"
  --markdown "$REPORTS/summary.md" --certificate "$REPORTS/certificate.json")
[ -n "$CONTROL_BEARER" ] && args+=(--control-bearer-env CONTROL_BEARER)
[ -n "$CANDIDATE_BEARER" ] && args+=(--candidate-bearer-env CANDIDATE_BEARER)
[ -n "$CONFIG" ] && args+=(--config "$CONFIG")
[ -n "$ALLOWED" ] && args+=(--allowed "$ALLOWED")
[ "$ALLOW_WRITES" = true ] && args+=(--allow-writes)

node "$PROGRAM" "${args[@]}"
code=$?
[ -f "$REPORTS/summary.md" ] && cat "$REPORTS/summary.md" >> "$GITHUB_STEP_SUMMARY"
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
exit "$code"
