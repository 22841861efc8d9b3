{{/* Name of everything in this release. */}}
{{- define "svc.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of a service. They never change, because a selector cannot be changed. */}}
{{- define "svc.selectorLabels" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selectorLabels" . }}
app.kubernetes.io/part-of: svc
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* The services of this release as a JSON object, without auth-service where a hosted one is used. */}}
{{- define "svc.services" -}}
{{- $services := .Files.Get "files/services.yaml" | fromYaml -}}
{{- if include "svc.isHosted" . -}}{{- $services = omit $services "auth-service" -}}{{- end -}}
{{- toJson $services -}}
{{- end -}}

{{/* Not empty where another installation's auth service is used. */}}
{{- define "svc.isHosted" -}}
{{- if eq (dig "enabled" true (index .Values "auth-service" | default dict) | toString) "false" -}}true{{- end -}}
{{- end -}}

{{/* The values of one service. */}}
{{- define "svc.serviceValues" -}}
{{- index .root.Values .service | default dict | toJson -}}
{{- end -}}

{{- define "svc.serviceAccountName" -}}
{{- $values := include "svc.serviceValues" . | fromJson -}}
{{- dig "serviceAccount" "name" "" $values | default (printf "%s-%s" (include "svc.fullname" .root) .service) -}}
{{- end -}}

{{/* The image of the chart. */}}
{{- define "svc.image" -}}
{{- include "svc.imageName" (dict "root" . "image" (.Values.image | default dict) "repository" "svc") -}}
{{- end -}}

{{/* The image of a service: that of the chart, but for a worker that makes backups, which needs the programs of Postgres. */}}
{{- define "svc.serviceImage" -}}
{{- $backups := .root.Values.backups | default dict -}}
{{- if and (eq .service "worker") $backups.to -}}
{{- include "svc.imageName" (dict "root" .root "image" ($backups.image | default dict) "repository" "svc-backups") -}}
{{- else -}}
{{- include "svc.image" .root -}}
{{- end -}}
{{- end -}}

{{/* Name, and digest or tag, of an image. Registry and tag are those of the chart where it has none of its own. */}}
{{- define "svc.imageName" -}}
{{- $common := .root.Values.image | default dict -}}
{{- $repository := .image.repository | default .repository -}}
{{- with .image.registry | default $common.registry -}}{{- $repository = printf "%s/%s" . $repository -}}{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.image.tag | default $common.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The fewest pods of a service that run at once. */}}
{{- define "svc.replicas" -}}
{{- $values := include "svc.serviceValues" . | fromJson -}}
{{- if dig "autoscaling" "enabled" false $values -}}
{{- dig "autoscaling" "minReplicas" 2 $values -}}
{{- else -}}
{{- dig "replicas" 2 $values -}}
{{- end -}}
{{- end -}}

{{/* The hosts of the ingress and the service behind each, as a JSON object. */}}
{{- define "svc.hosts" -}}
{{- $hosts := dict -}}
{{- $services := include "svc.services" . | fromJson -}}
{{- range $row := (.Files.Get "files/variables.yaml" | fromYaml).values -}}
{{- if $row.host -}}
{{- $text := include "svc.rowText" (dict "root" $ "row" $row) | fromJson -}}
{{- range $service, $facts := $services -}}
{{- if and $text.text (eq ($facts.host | default "") $row.host) -}}
{{- $host := (urlParse $text.text).host | splitList ":" | first -}}
{{- if not (hasKey $hosts $host) -}}{{- $_ := set $hosts $host $service -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with dig "domain" "" (.Values.apps | default dict) -}}{{- $_ := set $hosts (printf "*.%s" .) "api-gateway" -}}{{- end -}}
{{- toJson $hosts -}}
{{- end -}}
