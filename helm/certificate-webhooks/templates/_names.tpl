{{- define "certificate-webhooks.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{/* The full name. A release named like the chart does not repeat the name. */}}
{{- define "certificate-webhooks.fullname" -}}
{{- $name := include "certificate-webhooks.name" . -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{/* The full name with a suffix, shortened to leave room for it. Takes: root, suffix. */}}
{{- define "certificate-webhooks.suffixed" -}}
{{- $room := sub 62 (len .suffix) | int -}}
{{- printf "%s-%s" (include "certificate-webhooks.fullname" .root | trunc $room | trimSuffix "-") .suffix -}}
{{- end }}

{{- define "certificate-webhooks.serviceAccountName" -}}
{{- $default := .Values.serviceAccount.create | ternary (include "certificate-webhooks.fullname" .) "default" -}}
{{- .Values.serviceAccount.name | default $default -}}
{{- end }}

{{/* The image. The registry of a parent chart replaces that of the repository, which is a part with a dot or a port. */}}
{{- define "certificate-webhooks.image" -}}
{{- with .Values.image -}}
{{- $repository := .repository -}}
{{- with $.Values.global.imageRegistry -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^([^/]*[.:][^/]*|localhost)/" $repository "") -}}
{{- end -}}
{{- printf "%s:%s" $repository (.tag | default $.Chart.AppVersion) -}}
{{- with .digest }}@{{ . }}{{ end -}}
{{- end -}}
{{- end }}

{{/* The references to the Secrets with credentials of the registry. A parent chart may write names or references. */}}
{{- define "certificate-webhooks.pullSecrets" -}}
{{- $references := list -}}
{{- range concat .Values.global.imagePullSecrets .Values.image.pullSecrets -}}
{{- $references = append $references (kindIs "string" . | ternary (dict "name" .) .) -}}
{{- end -}}
{{- with uniq $references }}{{ toYaml . }}{{ end -}}
{{- end }}

{{/* The labels of every object and pod of the release. */}}
{{- define "certificate-webhooks.releaseLabels" -}}
app.kubernetes.io/name: {{ include "certificate-webhooks.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* The labels that select the Deployment's pods, but not the pod of the topics Job. They must never change. */}}
{{- define "certificate-webhooks.selectorLabels" -}}
{{ include "certificate-webhooks.releaseLabels" . }}
app.kubernetes.io/component: service
{{- end }}

{{- define "certificate-webhooks.labels" -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63)
  "app.kubernetes.io/version" (.Values.image.tag | default .Chart.AppVersion | trunc 63)
  "app.kubernetes.io/managed-by" .Release.Service
  "app.kubernetes.io/part-of" .Chart.Name -}}
{{- $release := include "certificate-webhooks.releaseLabels" . | fromYaml -}}
{{- mergeOverwrite (dict) .Values.commonLabels $own $release | toYaml -}}
{{- end }}

{{/*
The metadata of an object. Takes: root; optional: name, namespace, labels, annotations.
*/}}
{{- define "certificate-webhooks.metadata" -}}
{{- $root := .root -}}
name: {{ .name | default (include "certificate-webhooks.fullname" $root) }}
namespace: {{ .namespace | default $root.Release.Namespace }}
labels:
  {{- $labels := include "certificate-webhooks.labels" $root | fromYaml }}
  {{- mergeOverwrite (dict) $labels (.labels | default dict) | toYaml | nindent 2 }}
{{- with mergeOverwrite (dict) $root.Values.commonAnnotations (.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
