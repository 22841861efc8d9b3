import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasten, openClient, POD_SETTINGS } from '#test/kubernetes/cluster-target.ts'
import { type FakeApiServer, startFakeApiServer } from '#test/kubernetes/fake-api-server.ts'
import { applyDeploy } from './apply.ts'
import { deploymentFor, namespaceFor, serviceAccountFor } from './manifests.ts'

const ORG = 'org_01hzyorg'
const NAMESPACE = 'svc-org-01hzyorg'
const DEPLOY = {
  orgId: ORG,
  appId: 'app_01hzyapp',
  deployId: 'dep_01hzydep',
  revisionId: 'rev_01hzyrev',
  buildCommand: 'npm ci',
  startCommand: 'node server.mjs',
  healthPath: '/healthz',
}
const SETTINGS = { ...POD_SETTINGS, ownNamespace: 'svc' }

describe('OP-02 the objects of a deploy on the wire of the API server', () => {
  let cluster: FakeApiServer
  let opened: ReturnType<typeof openClient>
  const { signal } = new AbortController()
  beforeEach(async () => {
    cluster = await startFakeApiServer()
    opened = openClient(cluster)
  })
  afterEach(async () => {
    await opened[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
  })
  const apply = (variables: Record<string, string> = { GREETING: 'hi' }) =>
    applyDeploy({ client: opened.client, settings: SETTINGS, delay: hasten }, DEPLOY, variables, signal)

  it('are applied with the media type of server-side apply, the field manager svc and strict validation', async () => {
    await apply()
    expect(cluster.writes.map(({ method, path, contentType }) => [method, path, contentType])).toEqual(
      [
        `/api/v1/namespaces/${NAMESPACE}?fieldManager=svc&force=false`,
        `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies/svc-apps?fieldManager=svc&force=true`,
        `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/app-01hzyapp?fieldManager=svc&force=true`,
        `/api/v1/namespaces/${NAMESPACE}/secrets/dep-01hzydep?fieldManager=svc&force=true`,
        `/api/v1/namespaces/${NAMESPACE}/services/dep-01hzydep?fieldManager=svc&force=true`,
        `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/dep-01hzydep?fieldManager=svc&force=true`,
      ].map((path) => ['PATCH', `${path}&fieldValidation=Strict`, 'application/apply-patch+yaml']),
    )
  })

  it('include the logins of registries in the namespace, which the pod names, only where they are set', async () => {
    await apply()
    const podOf = () => (cluster.objects('deployments')[0]!.spec as { template: { spec: object } }).template.spec
    expect(podOf()).not.toHaveProperty('imagePullSecrets')
    const pullConfig = '{"auths":{"registry.example.com":{"auth":"dTpw"}}}'
    const settings = { ...SETTINGS, pullConfig }
    await applyDeploy({ client: opened.client, settings, delay: hasten }, DEPLOY, {}, signal)
    expect(podOf()).toMatchObject({ imagePullSecrets: [{ name: 'svc-pull' }] })
    const secret = cluster.objects('secrets').find(({ metadata }) => metadata.name === 'svc-pull')
    expect(secret).toMatchObject({
      type: 'kubernetes.io/dockerconfigjson',
      metadata: { namespace: NAMESPACE },
      data: {
        '.dockerconfigjson': 'eyJhdXRocyI6eyJyZWdpc3RyeS5leGFtcGxlLmNvbSI6eyJhdXRoIjoiZFRwdyJ9fX0=',
      },
    })
  })

  it('leave a namespace as the operator labelled it, and say which fields are in the way', async () => {
    cluster.applyAs('kubectl', 'namespaces', undefined, NAMESPACE, {
      metadata: { labels: { 'svc/org-id': ORG, 'pod-security.kubernetes.io/enforce': 'privileged' } },
    })
    await expect(apply()).rejects.toThrow(
      `Namespace ${NAMESPACE} has fields that others manage: .metadata.labels.pod-security.kubernetes.io/enforce ` +
        '(conflict with "kubectl" using v1). The operator must remove them or set them as svc does.',
    )
    expect(cluster.objects('namespaces')[0]!.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'privileged',
    })
    expect(cluster.objects('deployments')).toEqual([])
  })

  it('are made in a namespace that the operator prepared as svc would', async () => {
    const { labels } = namespaceFor(ORG, SETTINGS).metadata!
    cluster.applyAs('kubectl', 'namespaces', undefined, NAMESPACE, { metadata: { labels } })
    await apply()
    expect(cluster.objects('deployments')).toHaveLength(1)
  })

  it('never go into a namespace that is not the organization’s', async () => {
    cluster.applyAs('kubectl', 'namespaces', undefined, NAMESPACE, { metadata: { labels: { team: 'payments' } } })
    await expect(apply()).rejects.toThrow(
      `The namespace ${NAMESPACE} exists and does not belong to this organization. The operator must label it ` +
        `svc/org-id=${ORG}, or choose another SVC_KUBERNETES_NAMESPACE_PREFIX.`,
    )
    expect(cluster.writes).toEqual([])
  })

  it('are applied after an API server that restarts answers again, with a token that was replaced', async () => {
    cluster.faults.push(503, 429, 500)
    await cluster.stop()
    const applying = apply()
    cluster.replaceToken()
    await cluster.start()
    await applying
    expect(cluster.objects('deployments')).toHaveLength(1)
  })

  it('that the API server refuses are reported with its own sentence', async () => {
    cluster.faults.push(403)
    await expect(apply()).rejects.toThrow(`Kubernetes refused Namespace ${NAMESPACE}: injected`)
  })
})

describe('OP-02 AU-15 the pod of an app', () => {
  const pod = deploymentFor(DEPLOY, { LANG: 'de_DE.UTF-8', PASSWORD: 'secret' }, SETTINGS).spec!.template.spec!
  const containers = [...pod.initContainers!, ...pod.containers]

  it('runs as an unprivileged user on a read-only root, as the profile restricted requires', () => {
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        privileged: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(resources).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      })
    }
  })

  it('has no token for the API server, but one for svc, which the build does not see', () => {
    expect([pod.automountServiceAccountToken, pod.serviceAccountName]).toEqual([false, 'app-01hzyapp'])
    expect(serviceAccountFor(DEPLOY, SETTINGS)).toMatchObject({
      metadata: { annotations: { 'svc/org-id': ORG, 'svc/deployment': DEPLOY.appId } },
      automountServiceAccountToken: false,
    })
    expect(pod.volumes!.find(({ name }) => name === 'svc-token')!.projected!.sources).toEqual([
      { serviceAccountToken: { path: 'token', audience: 'svc-control-plane', expirationSeconds: 3600 } },
    ])
    const withToken = containers.filter(({ volumeMounts }) => volumeMounts!.some(({ name }) => name === 'svc-token'))
    expect(withToken.map(({ name }) => name)).toEqual(['fetch', 'app'])
  })

  it('gets the variables of the app by its Secret, and none of them is in the Deployment', () => {
    expect(JSON.stringify(pod)).not.toContain('secret"')
    const { env, envFrom } = pod.containers[0]!
    expect(envFrom).toEqual([{ secretRef: { name: 'dep-01hzydep' } }])
    expect(Object.fromEntries(env!.map(({ name, value }) => [name, value]))).toEqual({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '8080',
      HOME: '/tmp',
      TMPDIR: '/tmp',
      SVC_API_URL: 'http://svc-api-gateway.svc.svc',
    })
  })

  it('fetches with the image of svc, builds and runs in the runner image, and has no build without a command', () => {
    expect(containers.map(({ name, image, command }) => [name, image, command])).toEqual([
      [
        'fetch',
        POD_SETTINGS.image,
        ['node', 'bin/svc-server.js', 'fetch-revision', POD_SETTINGS.apiUrl, 'rev_01hzyrev', '/fetched/release'],
      ],
      ['build', POD_SETTINGS.runnerImage, ['sh', '-c', 'npm ci']],
      ['app', POD_SETTINGS.runnerImage, ['sh', '-c', 'node server.mjs']],
    ])
    const plain = deploymentFor({ ...DEPLOY, buildCommand: null }, {}, SETTINGS).spec!.template.spec!
    expect(plain.initContainers!.map(({ name }) => name)).toEqual(['fetch'])
  })
})
