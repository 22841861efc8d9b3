{{/* Every fault of the values, as a JSON list of sentences. A server would find most of them too, but after the rollout began. */}}
{{- define "svc.faults" -}}
{{- $faults := list -}}
{{- $values := .Values.AsMap -}}
{{- $global := .Values.global | default dict -}}
{{- $auth := index .Values "auth-service" | default dict -}}
{{- $mcp := index .Values "mcp-server" | default dict -}}
{{- $services := include "svc.services" . | fromJson -}}
{{- $table := include "svc.table" . | fromJson -}}
{{- $isHosted := include "svc.isHosted" . -}}

{{- range $row := $table.values -}}
{{- $text := $row.text -}}
{{- $from := dict -}}
{{- if $row.from -}}{{- $from = (include "svc.lookup" (dict "values" $values "path" $row.from) | fromJson).value | default dict -}}{{- end -}}
{{- if and $text $row.key (not (regexMatch "^[0-9a-fA-F]{64}$" $text)) -}}
{{- $faults = append $faults (printf "%s must be 32 random bytes as 64 hex digits: openssl rand -hex 32" $row.value) -}}
{{- end -}}
{{- if and $row.required (not $text) (not $from.name) -}}
{{- range $service := $row.services | default (keys $services | sortAlpha) -}}
{{- if and (hasKey $services $service) (not (include "svc.existingSecret" (dict "root" $ "service" $service))) -}}
{{- $how := ternary " or existingSecret.name beside it," "" (not (not $row.from)) -}}
{{- $faults = append $faults (printf "%s is required: set it,%s or global.existingSecret to a Secret with the key %s" $row.value $how $row.variable) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- $postgres := .Values.postgres | default dict -}}
{{- $hasJob := ne (dig "mode" "hook" (.Values.migrations | default dict) | default "hook") "server" -}}
{{- if and $hasJob (not $postgres.url) (not (dig "existingSecret" "name" "" $postgres)) (not $global.existingSecret) -}}
{{- $faults = append $faults "the migration job needs postgres.url, postgres.existingSecret.name or global.existingSecret: it does not read the Secrets of single services" -}}
{{- end -}}

{{- if not (or $global.baseDomain $auth.redirectBaseUrl) -}}
{{- $faults = append $faults "global.baseDomain is required, or auth-service.redirectBaseUrl: the address that people use" -}}
{{- end -}}
{{- $jwt := dig "jwt" "secret" "" $auth | lower -}}
{{- $mcpJwt := dig "platform" "jwtSecret" "" $mcp | lower -}}
{{- $actor := dig "platformConnector" "actorAssertionSecret" "" $global | lower -}}
{{- if and $jwt $mcpJwt (ne $jwt $mcpJwt) -}}
{{- $faults = append $faults "mcp-server.platform.jwtSecret must be the same as auth-service.jwt.secret: mcp-server reads the tokens that auth-service signs" -}}
{{- end -}}
{{- if and $actor (or (eq $actor $jwt) (eq $actor $mcpJwt)) -}}
{{- $faults = append $faults "global.platformConnector.actorAssertionSecret must differ from auth-service.jwt.secret: openssl rand -hex 32" -}}
{{- end -}}
{{- if and $actor (not $isHosted) (not $mcpJwt) (not (include "svc.existingSecret" (dict "root" . "service" "mcp-server"))) -}}
{{- $faults = append $faults "global.platformConnector.actorAssertionSecret requires mcp-server.platform.jwtSecret, with the value of auth-service.jwt.secret" -}}
{{- end -}}

{{- range $provider := list "google" "microsoft" "oidc" -}}
{{- $own := index $auth $provider | default dict -}}
{{- $hasSecret := or $own.clientSecret (include "svc.existingSecret" (dict "root" $ "service" "auth-service")) -}}
{{- if and $own.clientId (not $hasSecret) -}}
{{- $faults = append $faults (printf "auth-service.%s.clientId requires auth-service.%s.clientSecret" $provider $provider) -}}
{{- end -}}
{{- if and $own.clientSecret (not $own.clientId) -}}
{{- $faults = append $faults (printf "auth-service.%s.clientSecret requires auth-service.%s.clientId" $provider $provider) -}}
{{- end -}}
{{- end -}}
{{- $microsoft := $auth.microsoft | default dict -}}
{{- if and $microsoft.clientId (not $microsoft.tenantId) -}}
{{- $faults = append $faults "auth-service.microsoft.clientId requires auth-service.microsoft.tenantId: a UUID, common, organizations or consumers" -}}
{{- end -}}
{{- $oidc := $auth.oidc | default dict -}}
{{- if and $oidc.clientId (not $oidc.issuer) -}}
{{- $faults = append $faults "auth-service.oidc.clientId requires auth-service.oidc.issuer: the issuer, exactly as the provider writes it" -}}
{{- end -}}

{{- if $isHosted -}}
{{- if not (dig "auth" "url" "" $global) -}}{{- $faults = append $faults "auth-service.enabled=false requires global.auth.url: the address of the hosted auth service" -}}{{- end -}}
{{- if not (dig "auth" "loginUrl" "" $global) -}}{{- $faults = append $faults "auth-service.enabled=false requires global.auth.loginUrl: where people sign in" -}}{{- end -}}
{{- if $actor -}}{{- $faults = append $faults "global.platformConnector.actorAssertionSecret is for an auth service of this release: a hosted one issues no tokens for the MCP endpoint" -}}{{- end -}}
{{- else -}}
{{- if or (dig "auth" "url" "" $global) (dig "auth" "loginUrl" "" $global) -}}
{{- $faults = append $faults "global.auth is for a hosted auth service: set auth-service.enabled=false, or remove global.auth" -}}
{{- end -}}
{{- $accepted := dig "workloadIdentity" "audience" "" $auth | default "svc-control-plane" -}}
{{- $isOff := eq (dig "workloadIdentity" "enabled" true $auth | toString) "false" -}}
{{- $deploy := index .Values "deploy-api" | default dict -}}
{{- $projected := dig "workloadIdentity" "audience" "svc-control-plane" $deploy -}}
{{- if and $isOff $projected -}}
{{- $faults = append $faults "auth-service.workloadIdentity.enabled=false requires deploy-api.workloadIdentity.audience=\"\": otherwise deployments get tokens that are refused" -}}
{{- end -}}
{{- if and (not $isOff) $projected (ne $projected $accepted) -}}
{{- $faults = append $faults (printf "deploy-api.workloadIdentity.audience is %q, but auth-service.workloadIdentity.audience is %q: set both to the same" $projected $accepted) -}}
{{- end -}}
{{- end -}}

{{- if and (dig "smtpUrl" "" (.Values.mail | default dict)) (not (dig "from" "" (.Values.mail | default dict))) -}}
{{- $faults = append $faults "mail.smtpUrl requires mail.from: the address that mail is sent from" -}}
{{- end -}}
{{- $backups := .Values.backups | default dict -}}
{{- if and $backups.to (not $backups.publicKeys) -}}
{{- $faults = append $faults "backups.to requires backups.publicKeys: svc-server backup key makes a pair" -}}
{{- end -}}
{{- if and (hasPrefix "s3:" ($backups.to | default "")) (not $backups.s3ExistingSecret) -}}
{{- $faults = append $faults "backups.to with s3:// requires backups.s3ExistingSecret: a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" -}}
{{- end -}}
{{- if and (dig "enabled" false (.Values.ingress | default dict)) (not (include "svc.hosts" . | fromJson)) -}}
{{- $faults = append $faults "ingress.enabled requires global.baseDomain or auth-service.redirectBaseUrl: the hosts come from them" -}}
{{- end -}}
{{- range $service, $_ := $services -}}
{{- range $name, $_ := (index $.Values $service | default dict).env | default dict -}}
{{- $isKnown := or (hasKey $table.setByChart $name) (hasKey $table.notForClusters $name) -}}
{{- range $table.values -}}{{- if eq .variable $name -}}{{- $isKnown = true -}}{{- end -}}{{- end -}}
{{- if and (hasPrefix "SVC_" $name) (not $isKnown) -}}
{{- $faults = append $faults (printf "%s.env has %s, which is not a setting of the server" $service $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- uniq $faults | toJson -}}
{{- end -}}
