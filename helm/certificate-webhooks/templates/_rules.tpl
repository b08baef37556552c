{{/* The groups of a rule file, with the changes from the values. Empty groups are left out. Takes: root, groups. */}}
{{- define "certificate-webhooks.ruleGroups" -}}
{{- $root := .root -}}
{{- range .groups -}}
{{- $rules := list -}}
{{- range .rules -}}
{{- with include "certificate-webhooks.rule" (dict "root" $root "rule" .) -}}
{{- $rules = append $rules (fromJson .) -}}
{{- end -}}
{{- end -}}
{{- if $rules }}
{{- $interval := empty $root.Values.prometheusRule.interval | ternary dict (dict "interval" $root.Values.prometheusRule.interval) }}
{{ toYaml (list (mergeOverwrite (dict) . (dict "rules" $rules) $interval)) }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* A rule as JSON. Empty for an alert that is turned off. Takes: root, rule. */}}
{{- define "certificate-webhooks.rule" -}}
{{- $values := .root.Values.prometheusRule -}}
{{- $rule := .rule -}}
{{- $_ := set $rule "expr" (include "certificate-webhooks.scopedExpression" .) -}}
{{- if not $rule.alert -}}
{{- toJson $rule -}}
{{- else -}}
{{- $change := get $values.alerts $rule.alert | default dict -}}
{{- if ne false $change.enabled -}}
{{- include "certificate-webhooks.alert" (dict "values" $values "rule" $rule "change" $change) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* An expression about this release only. A monitor of the chart names its job; another one may not. Takes: root, rule. */}}
{{- define "certificate-webhooks.scopedExpression" -}}
{{- $values := .root.Values -}}
{{- $own := include "certificate-webhooks.fullname" .root -}}
{{- $expression := .rule.expr -}}
{{- if $values.prometheusRule.namespaced -}}
{{- $namespace := printf "namespace=%q" .root.Release.Namespace -}}
{{- $expression = $expression | replace "namespace=~\".*\"" $namespace | replace "deployment=~\".*certificate-webhooks.*\"" (printf "deployment=%q" $own) -}}
{{- if or $values.serviceMonitor.enabled $values.podMonitor.enabled -}}
{{- $expression = $expression | replace "job=~\".*\"" (printf "job=%q" $own) -}}
{{- end -}}
{{- end -}}
{{- $expression -}}
{{- end }}

{{/* An alert with its changes. Takes: values, rule, change. */}}
{{- define "certificate-webhooks.alert" -}}
{{- $rule := .rule -}}
{{- if hasKey .change "threshold" -}}
{{- $threshold := printf "%s # threshold" (include "certificate-webhooks.number" .change.threshold) -}}
{{- $_ := set $rule "expr" (regexReplaceAll "[0-9.]+ # threshold" $rule.expr $threshold) -}}
{{- end -}}
{{- with .change.for -}}{{- $_ := set $rule "for" . -}}{{- end -}}
{{- with .change.keepFiringFor -}}{{- $_ := set $rule "keep_firing_for" . -}}{{- end -}}
{{- $severity := dict -}}
{{- with get .values.severities $rule.labels.severity -}}{{- $_ := set $severity "severity" . -}}{{- end -}}
{{- with .change.severity -}}{{- $_ := set $severity "severity" . -}}{{- end -}}
{{- $_ := set $rule "labels" (mergeOverwrite (dict) $rule.labels .values.alertLabels $severity (.change.labels | default dict)) -}}
{{- $annotations := mergeOverwrite (dict) $rule.annotations (.change.annotations | default dict) -}}
{{- if and .values.runbookUrl (hasPrefix "docs/" $annotations.runbook_url) -}}
{{- $_ := set $annotations "runbook_url" (printf "%s/%s" (trimSuffix "/" .values.runbookUrl) $annotations.runbook_url) -}}
{{- end -}}
{{- $_ := set $rule "annotations" $annotations -}}
{{- toJson $rule -}}
{{- end }}

{{/* A number without an exponent. Helm writes large numbers with one. */}}
{{- define "certificate-webhooks.number" -}}
{{- eq (float64 .) (float64 (int64 .)) | ternary (int64 .) . -}}
{{- end }}
