{{/* SHUTDOWN_GRACE plus 5 s for the process to exit. */}}
{{- define "certificate-webhooks.graceSeconds" -}}
{{- $graceMs := include "certificate-webhooks.durationMs" (include "certificate-webhooks.setting" (dict "root" . "name" "SHUTDOWN_GRACE")) -}}
{{- add (div (add $graceMs 999) 1000) 5 -}}
{{- end }}

{{/* The common part of every pod of the chart. */}}
{{- define "certificate-webhooks.podSpec" -}}
serviceAccountName: {{ include "certificate-webhooks.serviceAccountName" . }}
automountServiceAccountToken: {{ .Values.serviceAccount.automount | default false }}
enableServiceLinks: false
{{- with include "certificate-webhooks.pullSecrets" . }}
imagePullSecrets:
  {{- . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- if not .Values.hostUsers }}
hostUsers: false
{{- end }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "schedulerName" "runtimeClassName" "dnsPolicy" "dnsConfig" "hostAliases" }}
{{- with get $.Values $field }}
{{ $field }}: {{ kindIs "string" . | ternary . (printf "\n%s" (toYaml . | indent 2)) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The common part of every container of the service. */}}
{{- define "certificate-webhooks.container" -}}
image: {{ include "certificate-webhooks.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
env:
  {{- include "certificate-webhooks.env" . | trim | nindent 2 }}
{{- with .Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "certificate-webhooks.volumeMounts" . | trim }}
volumeMounts:
  {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A pod that runs `topics` with the settings of the service, and ends. Takes: root, args. */}}
{{- define "certificate-webhooks.commandPodSpec" -}}
restartPolicy: Never
{{ include "certificate-webhooks.podSpec" .root }}
containers:
  - name: topics
    args:
      {{- toYaml .args | nindent 6 }}
    {{- include "certificate-webhooks.container" .root | nindent 4 }}
    resources:
      {{- toYaml .root.Values.topicsJob.resources | nindent 6 }}
{{- with include "certificate-webhooks.volumes" .root | trim }}
volumes:
  {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A probe. Takes: root, path, probe. */}}
{{- define "certificate-webhooks.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
{{- with .probe }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The spread constraints. Without a label selector they count the pods of this version of the Deployment. */}}
{{- define "certificate-webhooks.topologySpread" -}}
{{- $selector := dict "labelSelector" (dict "matchLabels" (include "certificate-webhooks.selectorLabels" . | fromYaml)) "matchLabelKeys" (list "pod-template-hash") -}}
{{- range .Values.topologySpreadConstraints }}
{{ toYaml (list (hasKey . "labelSelector" | ternary . (merge (dict) . $selector))) }}
{{- end }}
{{- end }}
