import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The values that docs/kubernetes.md shows for a Postgres that fails over, so that each of them is rendered. */
const [onPatroni, onCloudNativePg] = examplesOf('### Postgres that fails over')

function examplesOf(title: string): Record<string, object>[] {
  const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'kubernetes.md'), 'utf8')
  const section = guide.slice(guide.indexOf(title)).split(/^##+ (?!#)/m)[1]!
  return section
    .matchAll(/^```yaml\n(.*?)^```/gms)
    .map(([, text]) => parse(text!) as Record<string, object>)
    .toArray()
}

const key = (digit: string) => digit.repeat(64)

export const KEYS = { data: key('1'), internal: key('2'), jwt: key('a'), signing: key('b'), actor: key('c') }

const secrets = {
  dataKey: KEYS.data,
  internalSecret: KEYS.internal,
  operatorToken: 'operator-token-of-at-least-32-characters',
}
const stores = {
  postgres: { url: 'postgres://svc:secret@db.internal:6432/svc' },
  redis: { url: 'rediss://:secret@redis.internal:6380' },
}
const jwt = { secret: KEYS.jwt, signingKey: KEYS.signing }

/** Everything in the cluster, with both identity providers and agents. */
const selfHosted = {
  ...stores,
  global: {
    ...secrets,
    baseDomain: 'example.com',
    platformConnector: { actorAssertionSecret: KEYS.actor },
    trustedProxies: ['10.0.0.0/8'],
  },
  'auth-service': {
    jwt,
    google: { clientId: 'google-id', clientSecret: 'google-secret' },
    microsoft: { clientId: 'microsoft-id', clientSecret: 'microsoft-secret', tenantId: 'organizations' },
    allowedRedirectBaseUrls: 'https://one.example.com,https://two.example.com',
  },
  'mcp-server': { platform: { jwtSecret: KEYS.jwt } },
  ingress: { enabled: true, className: 'nginx', tls: { secretName: 'svc-tls' } },
}

/** An auth service of another installation; the secrets are in a Secret of the operator. */
const hosted = {
  global: {
    baseDomain: 'example.com',
    existingSecret: 'svc-secrets',
    auth: { url: 'https://auth.vendor.example', loginUrl: 'https://auth.vendor.example' },
  },
  'auth-service': { enabled: false },
}

/** One identity provider, and the database of CloudNativePG. */
const oneProvider = {
  global: { existingSecret: 'svc-secrets', baseDomain: 'example.com' },
  ...onCloudNativePg,
  'auth-service': { google: { clientId: 'google-id' } },
}

/** Without workload identity, and the database of Patroni. */
const workloadIdentityOff = {
  ...selfHosted,
  ...onPatroni,
  'auth-service': { ...selfHosted['auth-service'], rbac: { create: false }, workloadIdentity: { enabled: false } },
  'deploy-api': { workloadIdentity: { audience: '' } },
}

const scaled = { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 20 } }

const everythingOn = {
  ...selfHosted,
  global: {
    ...selfHosted.global,
    formerDataKeys: [key('3')],
    platformConnector: { actorAssertionSecret: KEYS.actor, loopbackAnyPort: true, clientDocuments: false },
    logLevel: 'debug',
    drainSeconds: 10,
    traces: { url: 'http://collector:4318', headers: 'x-team=platform', sample: 0.1 },
    listenHost: '::',
  },
  postgres: { ...stores.postgres, directUrl: 'postgres://svc:secret@db.internal:5432/svc' },
  image: { registry: 'registry.example.com', repository: 'team/svc', digest: `sha256:${key('d')}` },
  imagePullSecrets: [{ name: 'registry' }],
  'auth-service': {
    ...selfHosted['auth-service'],
    ...scaled,
    oidc: {
      issuer: 'https://id.example.com',
      clientId: 'oidc-id',
      clientSecret: 'oidc-secret',
      label: 'Example',
      emailClaim: 'verified_email',
    },
    redirectBaseUrl: 'https://svc.example.com',
    publicUrl: 'https://login.example.com',
    workloadIdentity: { enabled: true, audience: 'another' },
    serviceAccount: { name: 'auth', annotations: { team: 'platform' } },
  },
  'api-gateway': { ...scaled, env: { NODE_OPTIONS: '--max-old-space-size=512', SVC_LOG_LEVEL: 'warn' } },
  'deploy-api': { ...scaled, rbac: { create: true }, workloadIdentity: { audience: 'another' } },
  'mcp-server': { ...scaled, platform: { jwtSecret: KEYS.jwt }, publicUrl: 'https://agents.example.com/mcp' },
  worker: {
    ...scaled,
    podDisruptionBudget: { maxUnavailable: '25%' },
    resources: { requests: { cpu: 1, memory: '2Gi' }, limits: { memory: '2Gi' } },
  },
  ai: {
    providers: [{ name: 'own', base_url: 'https://models.example.com/v1', api_key: 'model-secret', kind: 'openai' }],
    gatewayTokensPerDay: 50000000,
    agentTokensPerDay: 0,
  },
  questions: { perMinute: 600, perDay: 100000, measureIndexes: false, watchVectors: false, rowTextToProviders: true },
  databases: { publicHost: 'db.example.com:5432' },
  apps: {
    domain: 'example-apps.com',
    target: 'kubernetes',
    namespacePrefix: 'apps-',
    runnerImage: 'registry.example.com/team/runner:1',
    pullConfig: { auths: { 'registry.example.com': { username: 'svc', password: 'registry-secret' } } },
    memoryMb: 256,
    buildMemoryMb: 1024,
    revisionStoreMb: 10240,
    checkRetentionDays: 60,
    logRetentionDays: 7,
    logMbPerApp: 128,
  },
  mail: { smtpUrl: 'smtps://svc:secret@mail.example.com', from: 'svc <svc@example.com>' },
  slack: { clientId: 'slack-id', clientSecret: 'slack-secret' },
  notifications: { ledgerDays: 30, inboxDays: 60 },
  forum: { allowedNetworks: ['10.20.0.0/16'] },
  backups: {
    to: 's3://company-backups/svc',
    publicKeys: ['age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq'],
    cron: '0 2 * * *',
    keep: 14,
    verifyUrl: 'postgres://svc:secret@verify.internal/svc',
    s3ExistingSecret: 'svc-backup-storage',
    image: { repository: 'team/svc-backups' },
  },
  migrations: { mode: 'job' },
  networkPolicy: {
    ingressFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    storesTo: [{ ipBlock: { cidr: '10.30.0.0/16' } }],
    extraEgress: [{ ports: [{ port: 8443, protocol: 'TCP' }] }],
  },
  priorityClassName: 'important',
  nodeSelector: { pool: 'svc' },
  tolerations: [{ key: 'svc', operator: 'Exists' }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'company-ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/company-ca', readOnly: true }],
}

/** The values of a chart older than 0.5.0, which had no `rbac` and none of the newer keys. */
const reused = {
  ...stores,
  global: { ...secrets, baseDomain: 'example.com' },
  'auth-service': { jwt, google: { clientId: 'google-id', clientSecret: 'google-secret' } },
}

export const VALUE_SETS = {
  'self-hosted': selfHosted,
  hosted,
  'one-provider': oneProvider,
  'workload-identity-off': workloadIdentityOff,
  'everything-on': everythingOn,
  reused,
} as const
