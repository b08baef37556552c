{{/* Fails on values that do not work. Lists all problems at once, each with its fix. */}}
{{- define "certificate-webhooks.validate" -}}
{{- $problems := list -}}
{{- range $check := list "settings" "orderingRules" "variableSets" "sources" "topicRoles" "replicas" "disruption" "topics" "network" "monitors" "image" "admintools" -}}
{{- range splitList "\n" (include (printf "certificate-webhooks.check.%s" $check) $) -}}
{{- with trim . -}}{{- $problems = append $problems (printf "  - %s" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with $problems -}}
{{- fail (printf "\n\nThese values of certificate-webhooks do not work:\n%s\n" (join "\n" .)) -}}
{{- end -}}
{{- end }}
