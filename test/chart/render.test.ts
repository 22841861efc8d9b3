import { join } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { CLUSTER_RULES } from '#test/kubernetes/cluster-rules.ts'
import { type Manifest, renderChart } from '#test/kubernetes/helm.ts'
import { typeFaults, valueFaults } from '#test/rules/kubernetes-types.ts'
import { needs } from '#test/stores.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { readSettings } from '../../src/server/config/config.ts'
import { KEYS, VALUE_SETS } from './value-sets.ts'

type SetName = keyof typeof VALUE_SETS
type Env = {
  name: string
  value?: string
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: true } }
}
type Pod = {
  automountServiceAccountToken: boolean
  securityContext: unknown
  terminationGracePeriodSeconds?: number
  containers: { image: string; env?: Env[]; envFrom?: unknown; securityContext: unknown; args?: string[] }[]
}
type Workload = { template: { spec: Pod } }

const SET_NAMES = Object.keys(VALUE_SETS) as SetName[]

/** The content that an operator would have put into the Secrets that the values name. */
const EXISTING: Record<string, Record<string, string>> = {
  'svc-secrets': {
    DATABASE_URL: 'postgres://db/svc',
    REDIS_URL: 'redis://redis',
    SVC_DATA_KEY: KEYS.data,
    SVC_INTERNAL_SECRET: KEYS.internal,
    SVC_JWT_SECRET: KEYS.jwt,
    SVC_JWT_SIGNING_KEY: KEYS.signing,
    SVC_GOOGLE_CLIENT_SECRET: 'google-secret',
  },
  'svc-db-app': { uri: 'postgresql://app@svc-db-rw/app' },
}

async function refusalOf(values: unknown): Promise<string> {
  return renderChart(values).then(() => 'not refused', String)
}

needs('helm')('the chart, rendered by Helm', () => {
  const releases = {} as Record<SetName, Awaited<ReturnType<typeof renderChart>>>

  // One after the other: Helm may run emulated, and other tests need the processor too.
  beforeAll(async () => {
    for (const name of SET_NAMES) releases[name] = await renderChart(VALUE_SETS[name], { reused: name === 'reused' })
  })

  const all = (kind: string, set: SetName) => releases[set].manifests.filter((each) => each.kind === kind)
  const one = (kind: string, name: string, set: SetName) => {
    const found = all(kind, set).filter(({ metadata }) => metadata.name === name)
    expect(found, `${kind} ${name}`).toHaveLength(1)
    return found[0]!
  }
  const podOf = (manifest: Manifest) =>
    manifest.kind === 'Pod' ? (manifest.spec as Pod) : (manifest.spec as Workload).template.spec
  const pods = (set: SetName) => ['Deployment', 'Job', 'Pod'].flatMap((kind) => all(kind, set)).map(podOf)

  /** The environment as a pod gets it, with Secrets looked up. */
  function environmentOf(name: string, set: SetName): Record<string, string> {
    const secrets = new Map(all('Secret', set).map(({ metadata, stringData }) => [metadata.name, stringData!]))
    const entries = podOf(one('Deployment', `svc-${name}`, set)).containers[0]!.env!.flatMap((variable) => {
      const ref = variable.valueFrom?.secretKeyRef
      const value = ref ? (secrets.get(ref.name) ?? EXISTING[ref.name])?.[ref.key] : variable.value
      if (value === undefined && !ref?.optional) throw new Error(`${name} has no ${variable.name}`)
      return value === undefined ? [] : [[variable.name, value] as const]
    })
    expect(new Set(entries.map(([variable]) => variable)).size).toBe(entries.length)
    return { ...Object.fromEntries(entries), KUBERNETES_SERVICE_HOST: '10.96.0.1' }
  }

  it('OP-02 no manifest has a field or a value that Kubernetes does not know', async () => {
    const manifests = Object.fromEntries(SET_NAMES.map((name) => [name, releases[name].manifests]))
    const misspelt = structuredClone(one('Deployment', 'svc-worker', 'hosted'))
    Object.assign(podOf(misspelt).containers[0]!.securityContext as object, { readOnlyRootFileSystem: true })
    const faults = await typeFaults({ ...manifests, misspelt: [misspelt] })
    expect(faults).toEqual([expect.stringMatching(/^misspelt\.ts.*readOnlyRootFileSystem.* does not exist/)])
    for (const name of SET_NAMES) expect(await valueFaults(releases[name].manifests), name).toEqual([])
  })

  it('OP-02 each service starts with the environment that its pod gets, without a warning', () => {
    for (const set of SET_NAMES) {
      const names = all('Deployment', set).map(({ metadata }) => metadata.name.replace('svc-', ''))
      const auth = set === 'hosted' ? [] : ['auth-service']
      expect(names.toSorted(), set).toEqual(['api-gateway', ...auth, 'deploy-api', 'mcp-server', 'worker'])
      for (const name of names) {
        const { services, warnings, mayMigrate } = readSettings(environmentOf(name, set))
        expect([services, warnings, mayMigrate], `${set} ${name}`).toEqual([[name], [], false])
      }
    }
  })

  it('OP-02 a Postgres that fails over is reached as the examples of the guide say', () => {
    const ofPatroni = environmentOf('worker', 'workload-identity-off').DATABASE_URL
    expect(ofPatroni).toBe('postgres://svc:change-me@patroni-primary.db.svc:5432/svc')
    expect(environmentOf('worker', 'one-provider').DATABASE_URL).toBe('postgresql://app@svc-db-rw/app')
  })

  it('OP-02 a service gets no secret that it does not use', () => {
    expect(environmentOf('api-gateway', 'self-hosted')).not.toHaveProperty('SVC_JWT_SECRET')
    expect(environmentOf('worker', 'self-hosted')).not.toHaveProperty('SVC_ACTOR_ASSERTION_SECRET')
    expect(environmentOf('mcp-server', 'everything-on')).not.toHaveProperty('SVC_SMTP_URL')
    const written = stringify(all('Deployment', 'everything-on'))
    for (const secret of [...Object.values(KEYS), 'google-secret', 'model-secret', 'slack-secret']) {
      expect(written).not.toContain(secret)
    }
  })

  it('AU-09 with a hosted auth service every service asks the hosted one, and nothing of auth-service is made', () => {
    const { AUTH_SERVICE_URL, AUTH_LOGIN_URL } = environmentOf('deploy-api', 'hosted')
    expect([AUTH_SERVICE_URL, AUTH_LOGIN_URL]).toEqual(['https://auth.vendor.example', 'https://auth.vendor.example'])
    const resources = releases.hosted.manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(resources.filter((name) => name.includes('auth-service'))).toEqual([])
  })

  it('AU-15 auth-service may create token reviews and get service accounts, and nothing else', () => {
    const role = one('ClusterRole', 'svc-svc-auth-service', 'self-hosted')
    expect(role.rules).toEqual([
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
    ])
    expect(all('ClusterRole', 'self-hosted')).toHaveLength(1)
    expect(all('ClusterRole', 'everything-on')).toHaveLength(2)
  })

  it('AU-15 workload identity is switched off on both sides, and its rights are not granted', () => {
    expect(environmentOf('auth-service', 'workload-identity-off').WORKLOAD_IDENTITY_ENABLED).toBe('false')
    expect(environmentOf('deploy-api', 'workload-identity-off').SVC_WORKLOAD_AUDIENCE).toBe('')
    expect(environmentOf('auth-service', 'everything-on').WORKLOAD_AUDIENCE).toBe('another')
    expect(environmentOf('deploy-api', 'everything-on').SVC_WORKLOAD_AUDIENCE).toBe('another')
    expect(all('ClusterRole', 'workload-identity-off')).toEqual([])
    expect(releases['workload-identity-off'].notes).not.toContain('rbac')
  })

  it('OP-02 worker may do in the cluster what the target kubernetes does, and nothing else', () => {
    expect(one('ClusterRole', 'svc-svc-worker', 'everything-on').rules).toEqual(CLUSTER_RULES)
    expect(all('ClusterRole', 'self-hosted').map(({ metadata }) => metadata.name)).toEqual(['svc-svc-auth-service'])
    const { SVC_KUBERNETES_IMAGE, SVC_KUBERNETES_APPS_API_URL } = environmentOf('worker', 'everything-on')
    expect([SVC_KUBERNETES_IMAGE, SVC_KUBERNETES_APPS_API_URL]).toEqual([
      `registry.example.com/team/svc@sha256:${'d'.repeat(64)}`,
      'http://svc-api-gateway.svc.svc',
    ])
  })

  it('AU-15 reused values without an rbac key grant nothing, and the notes say what to set', () => {
    expect(all('ClusterRole', 'reused')).toEqual([])
    expect(all('ClusterRoleBinding', 'reused')).toEqual([])
    expect(releases.reused.notes).toContain('Invalid or expired API token')
    expect(releases.reused.notes).toContain('--reuse-values --set auth-service.rbac.create=true')
    expect(releases['self-hosted'].notes).not.toContain('rbac')
  })

  it('OP-02 every pod runs as nobody, on a read-only root, without privileges and without a token by default', () => {
    for (const pod of SET_NAMES.flatMap(pods)) {
      expect(pod.automountServiceAccountToken).toBe(false)
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        })
      }
    }
  })

  it('OP-02 migrations run before servers are replaced, with the address of the database and nothing else', () => {
    const job = one('Job', 'svc-migrate', 'self-hosted')
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    const [container] = podOf(job).containers
    expect(container!.args).toEqual(['bin/svc-server.js', 'migrate'])
    expect(container!.env!.map(({ name }) => name)).toEqual(['DATABASE_URL', 'SVC_DATA_DIR'])
    expect(all('Job', 'everything-on')[0]!.metadata).not.toHaveProperty('annotations')
  })

  it('OP-02 a pod has time to drain before it is killed', () => {
    const seconds = (set: SetName) => podOf(one('Deployment', 'svc-worker', set)).terminationGracePeriodSeconds
    expect([seconds('self-hosted'), seconds('everything-on')]).toEqual([45, 50])
  })

  it('OP-05 a worker that makes backups has the programs and the secrets for them, and no other service has', () => {
    const imageOf = (name: string) => podOf(one('Deployment', `svc-${name}`, 'everything-on')).containers[0]!
    expect(imageOf('worker').image).toBe(`registry.example.com/team/svc-backups:${packageJson.version}`)
    expect(imageOf('worker').envFrom).toEqual([{ secretRef: { name: 'svc-backup-storage' } }])
    expect(imageOf('api-gateway').envFrom).toBeUndefined()
    const worker = environmentOf('worker', 'everything-on')
    expect(readSettings(worker).backup).toMatchObject({ place: 's3://company-backups/svc', keep: 14 })
    expect(worker).toMatchObject({ SVC_JWT_SECRET: KEYS.jwt, SVC_JWT_SIGNING_KEY: KEYS.signing })
    expect(environmentOf('worker', 'self-hosted')).not.toHaveProperty('SVC_JWT_SECRET')
  })

  it('OP-02 values with mistakes are refused with every mistake in words', async () => {
    const mistakes = {
      global: { platformConnector: { actorAssertionSecret: KEYS.jwt }, dataKey: 'short', auth: { url: 'https://x' } },
      'auth-service': {
        jwt: { secret: KEYS.jwt },
        google: { clientSecret: 'a' },
        microsoft: { clientId: 'a' },
        oidc: { clientId: 'a' },
        workloadIdentity: { audience: 'one' },
        env: { SVC_DATA_KEYS: 'a' },
      },
      'mcp-server': { platform: { jwtSecret: KEYS.signing } },
      mail: { smtpUrl: 'smtp://mail' },
      backups: { to: 's3://backups/svc' },
      ingress: { enabled: true },
    }
    const message = await refusalOf(mistakes)
    expect(
      message
        .split('\n  - ')
        .slice(1)
        .map((line) => line.split('\n')[0]!),
    ).toMatchSnapshot()
  })

  it('OP-02 a key that the chart does not have, and a value of the wrong type, are refused by name', async () => {
    const message = await refusalOf({
      'auth-service': { jwt: { secrett: 'a' } },
      worker: { replicas: 'many' },
      migrations: { mode: 'never' },
    })
    expect(message).toContain("at '/auth-service/jwt': additional properties 'secrett' not allowed")
    expect(message).toContain("at '/worker/replicas': got string, want null or integer")
    expect(message).toContain("at '/migrations/mode': value must be one of 'hook', 'job', 'server'")
  })

  /** Without the version of the server, so that a release does not change every snapshot. */
  const written = (set: SetName) =>
    releases[set].manifests
      .map((each) => stringify(each, { lineWidth: 120 }))
      .join('---\n')
      .replaceAll(packageJson.version, 'VERSION')

  it('OP-02 the manifests are those of the snapshot, so no template generates a secret; other value sets are shown as differences', async () => {
    const folder = join(import.meta.dirname, 'snapshots')
    await expect(written('self-hosted')).toMatchFileSnapshot(join(folder, 'self-hosted.yaml'))
    for (const set of SET_NAMES.slice(1)) {
      const patch = createTwoFilesPatch('self-hosted', set, written('self-hosted'), written(set), '', '', {
        context: 2,
      })
      await expect(patch).toMatchFileSnapshot(join(folder, `${set}.diff`))
    }
  })
})
