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
    {{- $denied := include "certificate-webhooks.items" (dict "root" . "name" "DELIVERY_DENIED_NETWORKS") | fromJsonArray }}
    {{- $allowed := include "certificate-webhooks.items" (dict "root" . "name" "DELIVERY_ALLOWED_NETWORKS") | fromJsonArray }}
    {{- range list $networks.ipv4 $networks.ipv6 }}
    {{- include "certificate-webhooks.ipBlock" (dict "cidr" .cidr "refused" (concat .except $denied)) | nindent 4 }}
    {{- end }}
    {{- range $allowed }}
    {{- $gateway := include "certificate-webhooks.gatewayPrefix" (dict "cidr" . "gateways" $networks.gateways) }}
    {{- $behind := dict "prefix" $gateway "networks" (concat $networks.ipv4.except $denied) }}
    {{- $refused := concat (include "certificate-webhooks.behindGateway" $behind | fromJsonArray) $denied }}
    {{- include "certificate-webhooks.ipBlock" (dict "cidr" . "refused" $refused) | nindent 4 }}
    {{- $open := include "certificate-webhooks.behindGateway" (dict "prefix" $gateway "networks" $allowed) | fromJsonArray }}
    {{- $refused = include "certificate-webhooks.behindGateway" (dict "prefix" $gateway "networks" $denied) | fromJsonArray }}
    {{- range $open }}
    {{- include "certificate-webhooks.ipBlock" (dict "cidr" . "refused" (concat $refused $denied)) | nindent 4 }}
    {{- end }}
    {{- end }}
{{- end -}}
{{- end }}

{{/* A peer for a network without the refused ones inside it. Nothing if all of it is refused. Takes: cidr, refused. */}}
{{- define "certificate-webhooks.ipBlock" -}}
{{- $bits := include "certificate-webhooks.networkBits" .cidr -}}
{{- $except := list -}}
{{- $isRefused := false -}}
{{- range .refused -}}
{{- $refused := include "certificate-webhooks.networkBits" . -}}
{{- if hasPrefix $refused $bits -}}{{- $isRefused = true -}}
{{- else if hasPrefix $bits $refused -}}{{- $except = append $except (include "certificate-webhooks.shortestCidr" .) -}}{{- end -}}
{{- end -}}
{{- if not $isRefused -}}
- ipBlock:
    cidr: {{ include "certificate-webhooks.shortestCidr" .cidr | quote }}
    {{- with $except }}
    except:
      {{- toYaml . | nindent 6 }}
    {{- end }}
{{- end -}}
{{- end }}

{{/*
The groups of the addresses of a gateway to IPv4 that come before the IPv4 address, such as `64:ff9b:0:0:0:0:`. Empty if the
network is of no gateway. Takes: cidr, gateways.
*/}}
{{- define "certificate-webhooks.gatewayPrefix" -}}
{{- $cidr := .cidr -}}
{{- range .gateways -}}
{{- if hasPrefix (include "certificate-webhooks.networkBits" .) (include "certificate-webhooks.networkBits" $cidr) -}}
{{- if ge (splitList "/" $cidr | last | int) 96 -}}
{{- range slice (include "certificate-webhooks.ipv6Groups" $cidr | fromJsonArray) 0 6 -}}{{- . -}}:{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The networks behind a gateway that hold the IPv4 networks, as JSON. Takes: prefix, networks. */}}
{{- define "certificate-webhooks.behindGateway" -}}
{{- $prefix := .prefix -}}
{{- $behind := list -}}
{{- range .networks -}}
{{- if and $prefix (not (contains ":" .)) -}}
{{- $parts := regexSplit "[./]" . -1 -}}
{{- $a := index $parts 0 | int -}}{{- $b := index $parts 1 | int -}}{{- $c := index $parts 2 | int -}}{{- $d := index $parts 3 | int -}}
{{- $behind = append $behind (printf "%s%x:%x/%d" $prefix (add (mul $a 256) $b) (add (mul $c 256) $d) (add 96 (index $parts 4 | int))) -}}
{{- end -}}
{{- end -}}
{{- toJson $behind -}}
{{- end }}

{{/* The prefix of a network in binary digits, behind its family. One network holds another if the other's begins with its own. */}}
{{- define "certificate-webhooks.networkBits" -}}
{{- $length := splitList "/" . | last | int -}}
{{- $bits := "" -}}
{{- if contains ":" . -}}
{{- range include "certificate-webhooks.ipv6Groups" . | fromJsonArray -}}
{{- range splitList "" (printf "0000%s" . | trunc -4) -}}
{{- $value := ternary (. | int) (index (dict "a" 10 "b" 11 "c" 12 "d" 13 "e" 14 "f" 15) . | default 0 | int) (regexMatch "[0-9]" .) -}}
{{- $bits = printf "%s%04b" $bits $value -}}
{{- end -}}
{{- end -}}
6:{{ trunc $length $bits }}
{{- else -}}
{{- range splitList "." (splitList "/" . | first) -}}{{- $bits = printf "%s%08b" $bits (int .) -}}{{- end -}}
4:{{ trunc $length $bits }}
{{- end -}}
{{- end }}

{{/* The eight groups of an IPv6 address, as JSON. Takes a CIDR. */}}
{{- define "certificate-webhooks.ipv6Groups" -}}
{{- $address := splitList "/" . | first | lower -}}
{{- $ipv4 := regexFind "[0-9]+[.][0-9.]+$" $address -}}
{{- if $ipv4 -}}
{{- $behind := dict "prefix" (trimSuffix $ipv4 $address) "networks" (list (printf "%s/0" $ipv4)) -}}
{{- $address = include "certificate-webhooks.behindGateway" $behind | fromJsonArray | first | trimSuffix "/96" -}}
{{- end -}}
{{- $halves := splitList "::" $address -}}
{{- $left := splitList ":" (first $halves) | compact -}}
{{- $right := list -}}
{{- if gt (len $halves) 1 -}}{{- $right = splitList ":" (last $halves) | compact -}}{{- end -}}
{{- range until (sub 8 (add (len $left) (len $right)) | int) -}}{{- $left = append $left "0" -}}{{- end -}}
{{- concat $left $right | toJson -}}
{{- end }}

{{/* The network as RFC 5952 writes an IPv6 address: Kubernetes warns of every other spelling. Takes a CIDR. */}}
{{- define "certificate-webhooks.shortestCidr" -}}
{{- if contains ":" . -}}
{{- $groups := include "certificate-webhooks.ipv6Groups" . | fromJsonArray | join ":" -}}
{{- $address := printf ":%s:" (regexReplaceAll "\\b0+([0-9a-f])" $groups "${1}") -}}
{{- $zeros := "" -}}
{{- range regexFindAll "(:0){2,}:" $address -1 -}}
{{- if gt (len .) (len $zeros) -}}{{- $zeros = . -}}{{- end -}}
{{- end -}}
{{- $halves := splitn ($zeros | default "none") 2 $address -}}
{{- trimAll ":" $halves._0 }}{{ empty $zeros | ternary "" "::" }}{{ trimAll ":" $halves._1 }}/{{ splitList "/" . | last }}
{{- else -}}
{{- . -}}
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
