{{/* Looks a value up by its path. Returns {"value": …} as JSON, or {} where a key of the path is missing or null. */}}
{{- define "svc.lookup" -}}
{{- $state := dict "at" .values "found" true -}}
{{- range splitList "." .path -}}
{{- if and $state.found (kindIs "map" $state.at) (hasKey $state.at .) -}}
{{- $_ := set $state "at" (index $state.at .) -}}
{{- if kindIs "invalid" $state.at -}}{{- $_ := set $state "found" false -}}{{- end -}}
{{- else -}}
{{- $_ := set $state "found" false -}}
{{- end -}}
{{- end -}}
{{- if $state.found -}}{{- dict "value" $state.at | toJson -}}{{- else -}}{}{{- end -}}
{{- end -}}

{{/* Writes a value as the text of its variable. Numbers pass through JSON, because Helm prints 5000000 as 5e+06. */}}
{{- define "svc.text" -}}
{{- if and (kindIs "bool" .value) (eq (.format | default "") "onOff") -}}{{- ternary "on" "off" .value -}}
{{- else if eq (.format | default "") "json" -}}{{- if kindIs "string" .value -}}{{- .value -}}{{- else -}}{{- toJson .value -}}{{- end -}}
{{- else if kindIs "string" .value -}}{{- .value -}}
{{- else if kindIs "slice" .value -}}{{- join "," .value -}}
{{- else -}}{{- toJson .value -}}{{- end -}}
{{- end -}}

{{/* Returns {"text": …} for a row of the table, or {} where the values say nothing about it. */}}
{{- define "svc.rowText" -}}
{{- $found := include "svc.lookup" (dict "values" .root.Values.AsMap "path" .row.value) | fromJson -}}
{{- $text := "" -}}
{{- if hasKey $found "value" -}}
{{- $empty := and (or (kindIs "slice" $found.value) (kindIs "map" $found.value)) (empty $found.value) -}}
{{- if not $empty -}}{{- $text = include "svc.text" (dict "value" $found.value "format" .row.format) -}}{{- end -}}
{{- end -}}
{{- if and (eq $text "") .row.host -}}
{{- $domain := dig "baseDomain" "" (.root.Values.global | default dict) -}}
{{- $isAbsent := and (eq .row.host "auth") (include "svc.isHosted" .root) -}}
{{- if and $domain (not $isAbsent) -}}{{- $text = printf "https://%s.%s" .row.host $domain -}}{{- end -}}
{{- end -}}
{{- if or $text (and .row.emptyIsSet (hasKey $found "value")) -}}{{- dict "text" $text | toJson -}}{{- else -}}{}{{- end -}}
{{- end -}}

{{/*
The table with the text of each row that the values set, as JSON. It is made once for a template file and handed on in
`table`, because making it is most of the work of rendering.
*/}}
{{- define "svc.table" -}}
{{- $table := .Files.Get "files/variables.yaml" | fromYaml -}}
{{- $rows := list -}}
{{- range $row := $table.values -}}
{{- $with := dict "value" true -}}
{{- if $row.with -}}{{- $with = include "svc.lookup" (dict "values" $.Values.AsMap "path" $row.with) | fromJson -}}{{- end -}}
{{- if $with.value -}}{{- $rows = append $rows $row -}}{{- end -}}
{{- end -}}
{{- $_ := set $table "values" $rows -}}
{{- range $row := $table.values -}}
{{- $found := include "svc.rowText" (dict "root" $ "row" $row) | fromJson -}}
{{- if hasKey $found "text" -}}{{- $_ := set $row "text" $found.text -}}{{- end -}}
{{- end -}}
{{- toJson $table -}}
{{- end -}}

{{/* The existing Secret that a service reads its secrets from, if there is one. */}}
{{- define "svc.existingSecret" -}}
{{- $values := include "svc.serviceValues" . | fromJson -}}
{{- $values.existingSecret | default (dig "existingSecret" "" (.root.Values.global | default dict)) -}}
{{- end -}}


{{/* The secrets of a service that stand in the values, by variable, for the Secret of the chart. */}}
{{- define "svc.secretData" -}}
{{- $context := . -}}
{{- $data := dict -}}
{{- range .table.values -}}
{{- if and .secret .text (or (not .services) (has $context.service .services)) -}}
{{- $_ := set $data .variable .text -}}
{{- end -}}
{{- end -}}
{{- toJson $data -}}
{{- end -}}

{{/* The reference to a secret of a service as YAML of valueFrom, or nothing where neither values nor a Secret have it. */}}
{{- define "svc.secretRef" -}}
{{- $from := dict -}}
{{- if .row.from -}}{{- $from = (include "svc.lookup" (dict "values" .root.Values.AsMap "path" .row.from) | fromJson).value | default dict -}}{{- end -}}
{{- $existing := include "svc.existingSecret" . -}}
{{- if .row.text -}}
secretKeyRef:
  name: {{ .ownSecret }}
  key: {{ .row.variable }}
{{- else if $from.name -}}
secretKeyRef:
  name: {{ $from.name }}
  key: {{ $from.key | default .row.variable }}
{{- else if $existing -}}
secretKeyRef:
  name: {{ $existing }}
  key: {{ .row.variable }}
  {{- if not .row.required }}
  optional: true
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Variables that the chart sets itself, by name. */}}
{{- define "svc.chartVariables" -}}
{{- $root := .root -}}
{{- $mode := dig "mode" "hook" ($root.Values.migrations | default dict) -}}
{{- $variables := dict
  "HOST" (dig "listenHost" "" ($root.Values.global | default dict) | default "0.0.0.0")
  "PORT" "8080"
  "SVC_SERVICES" .service
  "SVC_DATA_DIR" "/tmp/svc"
  "SVC_MIGRATE" (ternary "on" "off" (eq $mode "server")) -}}
{{- $addresses := dict "auth-service" "AUTH_SERVICE_URL" "deploy-api" "DEPLOY_API_URL" "mcp-server" "MCP_SERVER_URL" "api-gateway" "API_GATEWAY_URL" "worker" "WORKER_URL" -}}
{{- range $name, $_ := .services -}}
{{- if ne $name $.service -}}
{{- $_ := set $variables (get $addresses $name) (printf "http://%s-%s" (include "svc.fullname" $root) $name) -}}
{{- end -}}
{{- end -}}
{{- if include "svc.isHosted" $root -}}
{{- $_ := set $variables "AUTH_SERVICE_URL" (dig "auth" "url" "" ($root.Values.global | default dict)) -}}
{{- end -}}
{{- if and (eq (dig "target" "" ($root.Values.apps | default dict) | default "") "kubernetes") (has .service (list "deploy-api" "worker")) -}}
{{- $_ := set $variables "SVC_KUBERNETES_IMAGE" (include "svc.image" $root) -}}
{{- $_ := set $variables "SVC_KUBERNETES_APPS_API_URL" (printf "http://%s-api-gateway.%s.svc" (include "svc.fullname" $root) $root.Release.Namespace) -}}
{{- end -}}
{{- toJson $variables -}}
{{- end -}}

{{/* The environment of a service: what the chart sets, then the table, then `env` of the service, which wins. */}}
{{- define "svc.env" -}}
{{- $context := . -}}
{{- $own := (include "svc.serviceValues" . | fromJson).env | default dict -}}
{{- range $name, $text := include "svc.chartVariables" . | fromJson -}}
{{- if not (hasKey $own $name) }}
- name: {{ $name }}
  value: {{ $text | quote }}
{{- end -}}
{{- end -}}
{{- range $row := .table.values -}}
{{- if and (or (not $row.services) (has $context.service $row.services)) (not (hasKey $own $row.variable)) -}}
{{- if $row.secret -}}
{{- with include "svc.secretRef" (merge (dict "row" $row) $context) }}
- name: {{ $row.variable }}
  valueFrom:
    {{- . | nindent 4 }}
{{- end -}}
{{- else if hasKey $row "text" }}
- name: {{ $row.variable }}
  value: {{ $row.text | quote }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $own }}
- name: {{ $name }}
  value: {{ include "svc.text" (dict "value" $value) | quote }}
{{- end -}}
{{- end -}}

{{/* The port of a store: from its address, or where that is in a Secret from the values. */}}
{{- define "svc.storePort" -}}
{{- $port := .port | default .usual | int -}}
{{- if and (not .port) .url -}}
{{- $parts := (urlParse .url).host | splitList ":" -}}
{{- if and (gt (len $parts) 1) (regexMatch "^[0-9]+$" (last $parts)) -}}{{- $port = last $parts | int -}}{{- end -}}
{{- end -}}
{{- $port -}}
{{- end -}}

{{/* The ports of the stores, each once. Postgres has a second one where a pooler stands before it. */}}
{{- define "svc.storePorts" -}}
{{- $postgres := .Values.postgres | default dict -}}
{{- $redis := .Values.redis | default dict -}}
{{- $ports := list (include "svc.storePort" (dict "port" $postgres.port "url" $postgres.url "usual" 5432)) -}}
{{- if or $postgres.directPort $postgres.directUrl (dig "directExistingSecret" "name" "" $postgres) -}}
{{- $ports = append $ports (include "svc.storePort" (dict "port" $postgres.directPort "url" $postgres.directUrl "usual" 5432)) -}}
{{- end -}}
{{- $ports = append $ports (include "svc.storePort" (dict "port" $redis.port "url" $redis.url "usual" 6379)) -}}
{{- $ports | uniq | toJson -}}
{{- end -}}
