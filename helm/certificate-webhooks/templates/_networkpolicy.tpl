{{/*
A rule that allows these ports of these peers, or nothing. A rule without peers would allow every address, private ones too.
Takes: to, ports; optional: protocols.
*/}}
{{- define "certificate-webhooks.egressTo" -}}
{{- if and .to .ports -}}
- ports:
    {{- range $port := .ports }}
    {{- range $.protocols | default (list "TCP") }}
    - port: {{ int $port }}
      protocol: {{ . }}
    {{- end }}
    {{- end }}
  to:
    {{- toYaml .to | nindent 4 }}
{{- end -}}
{{- end }}

{{- define "certificate-webhooks.egress.dns" -}}
{{- with .Values.networkPolicy.dns -}}
{{- include "certificate-webhooks.egressTo" (dict "to" .to "ports" .ports "protocols" (list "UDP" "TCP")) -}}
{{- end -}}
{{- end }}

{{- define "certificate-webhooks.egress.kafka" -}}
{{- $ports := include "certificate-webhooks.brokerPorts" . | fromJsonArray -}}
{{- include "certificate-webhooks.egressTo" (dict "to" .Values.networkPolicy.kafka.to "ports" $ports) -}}
{{- end }}

{{- define "certificate-webhooks.egress.tokenEndpoint" -}}
{{- $ports := include "certificate-webhooks.urlPorts" (dict "root" . "name" "KAFKA_OAUTH_TOKEN_URL") | fromJsonArray -}}
{{- include "certificate-webhooks.egressTo" (dict "to" .Values.networkPolicy.tokenEndpoint.to "ports" $ports) -}}
{{- end }}

{{- define "certificate-webhooks.egress.schemaRegistry" -}}
{{- $ports := include "certificate-webhooks.urlPorts" (dict "root" . "name" "SCHEMA_REGISTRY_URL") | fromJsonArray -}}
{{- include "certificate-webhooks.egressTo" (dict "to" .Values.networkPolicy.schemaRegistry.to "ports" $ports) -}}
{{- end }}

{{/* The command `endpoints` asks the pods of the service, from any pod of the release. */}}
{{- define "certificate-webhooks.egress.instances" -}}
{{- $ports := list (include "certificate-webhooks.setting" (dict "root" . "name" "HTTP_PORT")) -}}
{{- $instances := dict "podSelector" (dict "matchLabels" (include "certificate-webhooks.selectorLabels" . | fromYaml)) -}}
{{- include "certificate-webhooks.egressTo" (dict "to" (list $instances) "ports" $ports) -}}
{{- end }}

{{/* The service's own egress policy: public addresses and the allowed networks, on the allowed ports. A proxy replaces it. */}}
{{- define "certificate-webhooks.egress.subscribers" -}}
{{- $networks := .Files.Get "data/networks.json" | fromJson -}}
{{- if not (include "certificate-webhooks.isSetAnywhere" (dict "root" . "name" "DELIVERY_PROXY_URL")) -}}
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
{{- end -}}
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

{{/* The ports of the URLs in a setting, as JSON. Takes: root, name. */}}
{{- define "certificate-webhooks.urlPorts" -}}
{{- $ports := list -}}
{{- range include "certificate-webhooks.items" . | fromJsonArray -}}
{{- $url := lower . -}}
{{- $port := regexFind ":[0-9]+$" (urlParse $url).host | trimPrefix ":" -}}
{{- $ports = append $ports ($port | default (hasPrefix "https:" $url | ternary 443 80) | int) -}}
{{- end -}}
{{- uniq $ports | toJson -}}
{{- end }}

{{/* The values without which no rule of the chart allows what the pods need. One line for each. */}}
{{- define "certificate-webhooks.missingEgress" -}}
{{- with .Values.networkPolicy }}
{{- if not .dns.to }}
  networkPolicy.dns.to             the DNS servers
{{- end }}
{{- if not .kafka.to }}
  networkPolicy.kafka.to           the brokers
{{- end }}
{{- if and (include "certificate-webhooks.urlPorts" (dict "root" $ "name" "KAFKA_OAUTH_TOKEN_URL") | fromJsonArray) (not .tokenEndpoint.to) }}
  networkPolicy.tokenEndpoint.to   the token endpoint
{{- end }}
{{- if and (include "certificate-webhooks.urlPorts" (dict "root" $ "name" "SCHEMA_REGISTRY_URL") | fromJsonArray) (not .schemaRegistry.to) }}
  networkPolicy.schemaRegistry.to  the schema registry
{{- end }}
{{- end }}
{{- end }}
