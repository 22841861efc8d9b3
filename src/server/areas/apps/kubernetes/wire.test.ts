import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClusterFetch } from '#lib/net/cluster-fetch.ts'
import { type ApiServer, startApiServer } from '#test/kubernetes/api-server.ts'
import { hasten, openClient, POD_SETTINGS } from '#test/kubernetes/cluster-target.ts'
import { until } from '#test/until.ts'
import { applyDeploy } from './apply.ts'
import type { KubernetesObject } from './client.ts'
import { namespaceFor } from './manifests.ts'
import { watchObjects } from './watch.ts'

type Detailed = KubernetesObject & { data?: object; spec?: { template: { spec: object } } }

/** These use the wire only, so the same tests run on a real API server where KUBEBUILDER_ASSETS names one. */
describe('OP-02 the objects of a deploy on an API server', () => {
  const stack = new AsyncDisposableStack()
  const { signal } = new AbortController()
  let server: ApiServer
  let opened: ReturnType<typeof openClient>
  let used = 0
  beforeAll(async () => {
    server = stack.use(await startApiServer())
    opened = stack.use(openClient(server))
  })
  afterAll(() => stack.disposeAsync())

  /** Each test has an organization of its own, because only controllers can remove a namespace. */
  const prepare = () => {
    const deploy = {
      orgId: `org_wire${used++}`,
      appId: 'app_1',
      deployId: 'dep_1',
      revisionId: 'rev_1',
      buildCommand: 'npm ci',
      startCommand: 'node server.mjs',
      healthPath: '/',
    }
    const settings = { ...POD_SETTINGS, ownNamespace: 'svc', pullConfig: '{"auths":{"r.example.com":{"auth":"dTpw"}}}' }
    const namespace = namespaceFor(deploy.orgId, settings).metadata!.name!
    const apply = (variables: Record<string, string> = { GREETING: 'hi' }) =>
      applyDeploy({ client: opened.client, settings, delay: hasten }, deploy, variables, signal)
    const read = async (path: string): Promise<Detailed | undefined> => opened.client.get(path)
    const own = (kind: string, name: string) => read(`/api/v1/namespaces/${namespace}/${kind}/${name}`)
    const deployment = () => read(`/apis/apps/v1/namespaces/${namespace}/deployments/dep-1`)
    return { deploy, settings, namespace, apply, own, deployment }
  }

  /** Applies fields as another manager. */
  const applyAsKubectl = async (path: string, object: object) => {
    await using send = createClusterFetch(server.url, server.credentialsDir, {})
    const query = '?fieldManager=kubectl&force=true'
    const contentType = 'application/apply-patch+yaml'
    const response = await send({ method: 'PATCH', path: path + query, contentType, body: object }, signal)
    expect(response.status).toBeLessThan(300)
    await response.text()
  }
  const labelAsKubectl = (name: string, labels: Record<string, string>) =>
    applyAsKubectl(`/api/v1/namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })

  it('are accepted with strict validation, and the same when they are applied again', async () => {
    const { apply, own, deployment } = prepare()
    await apply({ GREETING: 'hi', FORMER: 'x' })
    const before = await deployment()
    await apply()
    const after = await deployment()
    expect([after!.metadata.uid, after!.spec]).toEqual([before!.metadata.uid, before!.spec])
    expect((await own('secrets', 'dep-1'))!.data).toEqual({ GREETING: 'aGk=' })
    expect(await own('secrets', 'svc-pull')).toMatchObject({ type: 'kubernetes.io/dockerconfigjson' })
    expect(after!.spec!.template.spec).toMatchObject({ imagePullSecrets: [{ name: 'svc-pull' }] })
  })

  it('take changes by hand back, because svc owns them', async () => {
    const { apply, own, namespace, deploy } = prepare()
    await apply()
    await applyAsKubectl(`/api/v1/namespaces/${namespace}/serviceaccounts/app-1`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'app-1', namespace, annotations: { 'svc/deployment': 'app_other', team: 'platform' } },
    })
    await apply()
    expect(await own('serviceaccounts', 'app-1')).toMatchObject({
      metadata: { annotations: { 'svc/org-id': deploy.orgId, 'svc/deployment': 'app_1', team: 'platform' } },
    })
  })

  it('leave a namespace as the operator labelled it, and say which fields are in the way', async () => {
    const { apply, deployment, namespace, deploy } = prepare()
    await labelAsKubectl(namespace, { 'svc/org-id': deploy.orgId, 'pod-security.kubernetes.io/enforce': 'privileged' })
    await expect(apply()).rejects.toThrow(
      `Namespace ${namespace} has fields that others manage: .metadata.labels.pod-security.kubernetes.io/enforce (conflict with "kubectl"`,
    )
    expect(await deployment()).toBeUndefined()
  })

  it('never go into a namespace that is not the organization’s', async () => {
    const { apply, deployment, namespace } = prepare()
    await labelAsKubectl(namespace, { team: 'payments' })
    await expect(apply()).rejects.toThrow(`The namespace ${namespace} exists and does not belong to this organization.`)
    expect(await deployment()).toBeUndefined()
  })

  it('are watched: what is there, what comes and what goes', async () => {
    const { apply, namespace } = prepare()
    const stopping = new AbortController()
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
    let names: string | undefined
    const deps = { client: opened.client, delay: hasten, onError: () => undefined }
    const watching = (async () => {
      for await (const objects of watchObjects(deps, path, {}, stopping.signal))
        names = objects.map(({ metadata }) => metadata.name).join()
    })()
    await until(() => names === '')
    await apply()
    await until(() => names === 'dep-1')
    await opened.client.remove(`${path}/dep-1`)
    await until(() => names === '')
    stopping.abort()
    await watching
  })
})
