{{/* The service's own egress policy: public addresses and the allowed networks, on the allowed ports. */}}
{{- define "certificate-webhooks.subscriberEgress" -}}
{{- $networks := .Files.Get "data/networks.json" | fromJson -}}
- ports:
    {{- range include "certificate-webhooks.items" (dict "root" . "name" "DELIVERY_ALLOWED_PORTS") | fromJsonArray }}
    {{- $ends := splitList "-" . }}
    - port: {{ first $ends }}
      {{- if gt (len $ends) 1 }}
      endPort: {{ last $ends }}
      {{- end }}
    {{- end }}
  to:
    {{- range $family := list "ipv4" "ipv6" }}
    - ipBlock:
        {{- toYaml (get $networks $family) | nindent 8 }}
    {{- end }}
    {{- range include "certificate-webhooks.items" (dict "root" . "name" "DELIVERY_ALLOWED_NETWORKS") | fromJsonArray }}
    - ipBlock:
        cidr: {{ quote . }}
    {{- end }}
{{- end }}

{{/* The ports of the brokers, as JSON. */}}
{{- define "certificate-webhooks.brokerPorts" -}}
{{- $ports := .Values.networkPolicy.kafka.ports -}}
{{- if not $ports -}}
{{- range include "certificate-webhooks.items" (dict "root" . "name" "KAFKA_BROKERS") | fromJsonArray -}}
{{- $ports = append $ports (splitList ":" . | last | int) -}}
{{- end -}}
{{- end -}}
{{- uniq $ports | toJson -}}
{{- end }}

{{/* The ports of the schema registry, as JSON. */}}
{{- define "certificate-webhooks.registryPorts" -}}
{{- $ports := list -}}
{{- range include "certificate-webhooks.items" (dict "root" . "name" "SCHEMA_REGISTRY_URL") | fromJsonArray -}}
{{- $url := lower . -}}
{{- $port := regexFind ":[0-9]+$" (urlParse $url).host | trimPrefix ":" -}}
{{- $ports = append $ports ($port | default (hasPrefix "https:" $url | ternary 443 80) | int) -}}
{{- end -}}
{{- uniq $ports | toJson -}}
{{- end }}
