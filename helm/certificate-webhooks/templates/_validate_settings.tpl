{{/* One problem a line, in each of these. */}}
{{- define "certificate-webhooks.check.settings" -}}
{{- $root := . -}}
{{- if not (include "certificate-webhooks.isGiven" (dict "root" . "name" "KAFKA_BROKERS")) }}
settings.KAFKA_BROKERS has to be set to the brokers, as host:port: --set settings.KAFKA_BROKERS=kafka:9092
{{- end }}
{{- range $name, $known := include "certificate-webhooks.known" . | fromJson }}
{{- $given := include "certificate-webhooks.given" (dict "root" $root "name" $name) }}
{{- if and $given $known.secret }}
settings.{{ $name }} is a secret and would be readable in the cluster: put it into a Secret and name that in existingSecret, or in settingsFrom.{{ $name }}
{{- end }}
{{- if and $given $known.maxMs }}
{{- range splitList "," $given }}
{{- $ms := include "certificate-webhooks.durationMs" (trim .) | int64 }}
{{- if or (lt $ms (int64 $known.minMs)) (gt $ms (int64 $known.maxMs)) }}
settings.{{ $name }} is {{ . }}: take a duration from {{ include "certificate-webhooks.duration" $known.minMs }} to {{ include "certificate-webhooks.duration" $known.maxMs }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if eq "0" (include "certificate-webhooks.setting" (dict "root" . "name" "HTTP_PORT")) }}
settings.HTTP_PORT is 0, any free port: take a fixed one, which probes and Prometheus can be told
{{- end }}
{{- if regexMatch "^(localhost|127\\..*|::1)$" (include "certificate-webhooks.setting" (dict "root" . "name" "HTTP_HOST")) }}
settings.HTTP_HOST is an address that only the pod itself reaches: probes come from outside of it
{{- end }}
{{- $settings := include "certificate-webhooks.known" . | fromJson }}
{{- range .Values.extraEnv }}
{{- if or (hasKey $settings .name) (hasKey $settings (trimSuffix "_FILE" .name)) }}
extraEnv has {{ .name }}, which is a setting: put it into settings, or into settingsFrom
{{- end }}
{{- end }}
{{- end }}

{{/* What the service compares too, so that an upgrade fails before a pod does. */}}
{{- define "certificate-webhooks.check.orders" -}}
{{- $connect := include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_CONNECT_TIMEOUT") -}}
{{- $timeout := include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_TIMEOUT") -}}
{{- $grace := include "certificate-webhooks.setting" (dict "root" . "name" "SHUTDOWN_GRACE") -}}
{{- $timeoutMs := include "certificate-webhooks.durationMs" $timeout | int64 -}}
{{- if ge (include "certificate-webhooks.durationMs" $connect | int64) $timeoutMs }}
settings.DELIVERY_CONNECT_TIMEOUT is {{ $connect }}: it has to be less than DELIVERY_TIMEOUT, which is {{ $timeout }}
{{- end }}
{{- if gt (add $timeoutMs 5000) (include "certificate-webhooks.durationMs" $grace | int64) }}
settings.SHUTDOWN_GRACE is {{ $grace }}: it has to be at least 5s more than DELIVERY_TIMEOUT, which is {{ $timeout }}
{{- end }}
{{- range $part, $all := dict "DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT" "DELIVERY_MAX_IN_FLIGHT" "DELIVERY_MAX_WAITING_PER_ENDPOINT" "INTAKE_MAX_RECORDS" }}
{{- $partIs := include "certificate-webhooks.setting" (dict "root" $ "name" $part) }}
{{- $allIs := include "certificate-webhooks.setting" (dict "root" $ "name" $all) }}
{{- if gt (int64 $partIs) (int64 $allIs) }}
settings.{{ $part }} is {{ $partIs }}: it has to be at most {{ $all }}, which is {{ $allIs }}
{{- end }}
{{- end }}
{{- $before := -1 | int64 }}
{{- range include "certificate-webhooks.items" (dict "root" . "name" "RETRY_DELAYS") | fromJsonArray }}
{{- $delayMs := include "certificate-webhooks.durationMs" . | int64 }}
{{- if le $delayMs $before }}
settings.RETRY_DELAYS has {{ . }} behind a delay that is as long or longer: put them in ascending order
{{- end }}
{{- $before = $delayMs }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.together" -}}
{{- $root := . -}}
{{- $groups := list (list "KAFKA_TLS_CERT_FILE" "KAFKA_TLS_KEY_FILE") (list "KAFKA_SASL_MECHANISM" "KAFKA_SASL_USERNAME" "KAFKA_SASL_PASSWORD") (list "SCHEMA_REGISTRY_USERNAME" "SCHEMA_REGISTRY_PASSWORD") -}}
{{- range $groups }}
{{- $given := list }}
{{- range . }}
{{- if include "certificate-webhooks.isGivenAnyhow" (dict "root" $root "name" .) }}{{ $given = append $given . }}{{ end }}
{{- end }}
{{- range . }}
{{- if and $given (not (has . $given)) }}
{{ . }} is missing, and {{ join " and " $given }} {{ len $given | eq 1 | ternary "is" "are" }} set: give it by {{ hasSuffix "_PASSWORD" . | ternary "existingSecret" "settings" }} or settingsFrom
{{- end }}
{{- end }}
{{- end }}
{{- if eq "false" (include "certificate-webhooks.setting" (dict "root" . "name" "KAFKA_TLS")) }}
{{- range list "KAFKA_TLS_CA_FILE" "KAFKA_TLS_CERT_FILE" "KAFKA_TLS_KEY_FILE" }}
{{- if include "certificate-webhooks.isGiven" (dict "root" $root "name" .) }}
{{ . }} is given and settings.KAFKA_TLS is not true: without it, credentials would go out in clear
{{- end }}
{{- end }}
{{- end }}
{{- range list "SCHEMA_REGISTRY_USERNAME" "SCHEMA_REGISTRY_CA_FILE" }}
{{- if and (include "certificate-webhooks.isGiven" (dict "root" $root "name" .)) (not (include "certificate-webhooks.isGiven" (dict "root" $root "name" "SCHEMA_REGISTRY_URL"))) }}
settings.SCHEMA_REGISTRY_URL is missing, and {{ . }} is set
{{- end }}
{{- end }}
{{- if and (eq "true" (include "certificate-webhooks.setting" (dict "root" . "name" "WEBHOOK_REQUIRE_SEALED"))) (not (include "certificate-webhooks.isGiven" (dict "root" . "name" "WEBHOOK_KEYS_FILE"))) }}
WEBHOOK_KEYS_FILE is missing, and settings.WEBHOOK_REQUIRE_SEALED is true: give it by settingsFrom
{{- end }}
{{- $id := include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_ID_HEADER") | lower }}
{{- if and $id (eq $id (include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_EVENT_TYPE_HEADER") | lower)) }}
settings.DELIVERY_ID_HEADER and DELIVERY_EVENT_TYPE_HEADER are the same header: give them two names
{{- end }}
{{- end }}

{{/* As isGiven, and a secret may also be in a file that something else puts there. */}}
{{- define "certificate-webhooks.isGivenAnyhow" -}}
{{- include "certificate-webhooks.isGiven" . -}}
{{- if eq "true" (include "certificate-webhooks.isSecret" .) -}}
{{- include "certificate-webhooks.given" (dict "root" .root "name" (printf "%s_FILE" .name)) -}}
{{- end -}}
{{- end }}

{{- define "certificate-webhooks.isSecret" -}}
{{- (index (include "certificate-webhooks.known" .root | fromJson) .name).secret | default false -}}
{{- end }}
