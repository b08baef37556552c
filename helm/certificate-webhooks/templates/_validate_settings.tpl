{{/* Each check prints one problem per line. */}}
{{- define "certificate-webhooks.check.settings" -}}
{{- $root := . -}}
{{- if not (include "certificate-webhooks.isSet" (dict "root" . "name" "KAFKA_BROKERS")) }}
settings.KAFKA_BROKERS must be set to the brokers, as host:port: --set settings.KAFKA_BROKERS=kafka:9092
{{- end }}
{{- range $name, $known := include "certificate-webhooks.known" . | fromJson }}
{{- $text := include "certificate-webhooks.settingText" (dict "root" $root "name" $name) }}
{{- if and $text $known.secret }}
settings.{{ $name }} is a secret and would be readable in the cluster: put it into a Secret, and name that in existingSecret or settingsFrom.{{ $name }}
{{- end }}
{{- if and $text $known.maxMs }}
{{- range splitList "," $text }}
{{- $ms := include "certificate-webhooks.durationMs" (trim .) | int64 }}
{{- if or (lt $ms (int64 $known.minMs)) (gt $ms (int64 $known.maxMs)) }}
settings.{{ $name }} is {{ . }}: use a duration from {{ include "certificate-webhooks.duration" $known.minMs }} to {{ include "certificate-webhooks.duration" $known.maxMs }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if eq "0" (include "certificate-webhooks.setting" (dict "root" . "name" "HTTP_PORT")) }}
settings.HTTP_PORT is 0, which means any free port: use a fixed one for probes and Prometheus
{{- end }}
{{- if regexMatch "^(localhost|127\\..*|::1|\\[::1\\])$" (include "certificate-webhooks.setting" (dict "root" . "name" "HTTP_HOST")) }}
settings.HTTP_HOST is reachable only from inside the pod, but probes come from outside
{{- end }}
{{- $settings := include "certificate-webhooks.known" . | fromJson }}
{{- range .Values.extraEnv }}
{{- if or (hasKey $settings .name) (hasKey $settings (trimSuffix "_FILE" .name)) }}
extraEnv has {{ .name }}, which is a setting: put it into settings or settingsFrom
{{- end }}
{{- end }}
{{- end }}

{{/* The service checks these too. Checking here fails the upgrade before a pod fails. */}}
{{- define "certificate-webhooks.check.orderingRules" -}}
{{- $connect := include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_CONNECT_TIMEOUT") -}}
{{- $timeout := include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_TIMEOUT") -}}
{{- $grace := include "certificate-webhooks.setting" (dict "root" . "name" "SHUTDOWN_GRACE") -}}
{{- $timeoutMs := include "certificate-webhooks.durationMs" $timeout | int64 -}}
{{- if ge (include "certificate-webhooks.durationMs" $connect | int64) $timeoutMs }}
settings.DELIVERY_CONNECT_TIMEOUT is {{ $connect }}: it must be less than DELIVERY_TIMEOUT, which is {{ $timeout }}
{{- end }}
{{- if gt (add $timeoutMs 5000) (include "certificate-webhooks.durationMs" $grace | int64) }}
settings.SHUTDOWN_GRACE is {{ $grace }}: it must be at least 5s more than DELIVERY_TIMEOUT, which is {{ $timeout }}
{{- end }}
{{- range $part, $all := dict "DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT" "DELIVERY_MAX_IN_FLIGHT" "DELIVERY_MAX_WAITING_PER_ENDPOINT" "INTAKE_MAX_RECORDS" }}
{{- $partIs := include "certificate-webhooks.setting" (dict "root" $ "name" $part) }}
{{- $allIs := include "certificate-webhooks.setting" (dict "root" $ "name" $all) }}
{{- if gt (int64 $partIs) (int64 $allIs) }}
settings.{{ $part }} is {{ $partIs }}: it must be at most {{ $all }}, which is {{ $allIs }}
{{- end }}
{{- end }}
{{- $before := -1 | int64 }}
{{- range include "certificate-webhooks.items" (dict "root" . "name" "RETRY_DELAYS") | fromJsonArray }}
{{- $delayMs := include "certificate-webhooks.durationMs" . | int64 }}
{{- if le $delayMs $before }}
settings.RETRY_DELAYS has {{ . }} after a delay that is equal or longer: put them in ascending order
{{- end }}
{{- $before = $delayMs }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.variableSets" -}}
{{- $root := . -}}
{{- $passwordLogin := list "KAFKA_SASL_USERNAME" "KAFKA_SASL_PASSWORD" -}}
{{- $tokenLogin := list "KAFKA_OAUTH_TOKEN_URL" "KAFKA_OAUTH_CLIENT_ID" "KAFKA_OAUTH_CLIENT_SECRET" -}}
{{- $usesTokens := include "certificate-webhooks.usesTokens" (dict "root" .) -}}
{{- $login := prepend (empty $usesTokens | ternary $passwordLogin $tokenLogin) "KAFKA_SASL_MECHANISM" -}}
{{- $groups := list (list "KAFKA_TLS_CERT_FILE" "KAFKA_TLS_KEY_FILE") $login (list "SCHEMA_REGISTRY_USERNAME" "SCHEMA_REGISTRY_PASSWORD") -}}
{{- range empty $usesTokens | ternary (append $tokenLogin "KAFKA_OAUTH_SCOPE") $passwordLogin }}
{{- if include "certificate-webhooks.isSetAnywhere" (dict "root" $root "name" .) }}
{{ . }} is set, but settings.KAFKA_SASL_MECHANISM is {{ empty $usesTokens | ternary "not oauthbearer" "oauthbearer" }}: remove one of them
{{- end }}
{{- end }}
{{- range $groups }}
{{- $present := list }}
{{- range . }}
{{- if include "certificate-webhooks.isSetAnywhere" (dict "root" $root "name" .) }}{{ $present = append $present . }}{{ end }}
{{- end }}
{{- range . }}
{{- if and $present (not (has . $present)) }}
{{ . }} is missing, but {{ join " and " $present }} {{ len $present | eq 1 | ternary "is" "are" }} set: set it in {{ or (hasSuffix "_PASSWORD" .) (hasSuffix "_SECRET" .) | ternary "existingSecret" "settings" }} or settingsFrom
{{- end }}
{{- end }}
{{- end }}
{{- if eq "false" (include "certificate-webhooks.setting" (dict "root" . "name" "KAFKA_TLS")) }}
{{- range list "KAFKA_TLS_CA_FILE" "KAFKA_TLS_CERT_FILE" "KAFKA_TLS_KEY_FILE" }}
{{- if include "certificate-webhooks.isSet" (dict "root" $root "name" .) }}
{{ . }} is set but settings.KAFKA_TLS is not true: credentials would be sent in clear text
{{- end }}
{{- end }}
{{- end }}
{{- range list "SCHEMA_REGISTRY_USERNAME" "SCHEMA_REGISTRY_CA_FILE" }}
{{- if and (include "certificate-webhooks.isSet" (dict "root" $root "name" .)) (not (include "certificate-webhooks.isSet" (dict "root" $root "name" "SCHEMA_REGISTRY_URL"))) }}
settings.SCHEMA_REGISTRY_URL is missing, but {{ . }} is set
{{- end }}
{{- end }}
{{- if and (eq "true" (include "certificate-webhooks.setting" (dict "root" . "name" "WEBHOOK_REQUIRE_SEALED"))) (not (include "certificate-webhooks.isSet" (dict "root" . "name" "WEBHOOK_KEYS_FILE"))) }}
WEBHOOK_KEYS_FILE is missing, but settings.WEBHOOK_REQUIRE_SEALED is true: set it in settingsFrom
{{- end }}
{{- $id := include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_ID_HEADER") | lower }}
{{- if and $id (eq $id (include "certificate-webhooks.setting" (dict "root" . "name" "DELIVERY_EVENT_TYPE_HEADER") | lower)) }}
settings.DELIVERY_ID_HEADER and DELIVERY_EVENT_TYPE_HEADER are the same header: use different names
{{- end }}
{{- end }}

{{/* Like isSet, but also true for a secret whose NAME_FILE is set. */}}
{{- define "certificate-webhooks.isSetAnywhere" -}}
{{- include "certificate-webhooks.isSet" . -}}
{{- if eq "true" (include "certificate-webhooks.isSecret" .) -}}
{{- include "certificate-webhooks.settingText" (dict "root" .root "name" (printf "%s_FILE" .name)) -}}
{{- end -}}
{{- end }}

{{- define "certificate-webhooks.isSecret" -}}
{{- (index (include "certificate-webhooks.known" .root | fromJson) .name).secret | default false -}}
{{- end }}
