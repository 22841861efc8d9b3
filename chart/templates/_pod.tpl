{{/* The security context of every pod: the profile "restricted" of the Pod Security Standards. */}}
{{- define "svc.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "svc.containerSecurityContext" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Pull secrets, placement and other settings that pods of every kind share. */}}
{{- define "svc.podPlacement" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with index $.values $key | default (index $.root.Values $key) }}
{{ $key }}:
  {{- if kindIs "string" . }} {{ . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The token of a service for the API server: mounted by name, because no pod gets one automatically. */}}
{{- define "svc.clusterToken" -}}
- name: cluster-token
  projected:
    sources:
      - serviceAccountToken: { path: token, expirationSeconds: 3600 }
      - configMap:
          name: kube-root-ca.crt
          items: [{ key: ca.crt, path: ca.crt }]
      - downwardAPI:
          items: [{ path: namespace, fieldRef: { fieldPath: metadata.namespace } }]
{{- end -}}

{{/* Not empty where a service talks to the API server of the cluster. */}}
{{- define "svc.usesApiServer" -}}
{{- $values := include "svc.serviceValues" . | fromJson -}}
{{- if eq .service "auth-service" -}}
{{- if ne (dig "workloadIdentity" "enabled" true $values | toString) "false" -}}true{{- end -}}
{{- else if eq .service "worker" -}}
{{- if dig "rbac" "create" false (index .root.Values "deploy-api" | default dict) -}}true{{- end -}}
{{- end -}}
{{- end -}}
