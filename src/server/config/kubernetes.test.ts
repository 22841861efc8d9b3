import { describe, expect, it } from 'vitest'
import { readKubernetes } from './kubernetes.ts'
import { type Environment, EnvironmentReader } from './reader.ts'
import type { WorkloadSettings } from './workload.ts'

const POD: WorkloadSettings = {
  accepted: undefined,
  hostedAudience: undefined,
  apiServer: 'https://10.96.0.1',
  projectedAudience: 'svc-control-plane',
  credentialsDir: '/var/run/secrets/kubernetes.io/serviceaccount',
}
const CHOSEN: Environment = {
  SVC_DEPLOY_TARGET: 'kubernetes',
  SVC_KUBERNETES_IMAGE: 'registry.example.com/svc:1',
  SVC_KUBERNETES_APPS_API_URL: 'http://svc-api-gateway.svc.svc',
}

const read = (env: Environment, workload = POD) => {
  const reader = new EnvironmentReader(env)
  const settings = readKubernetes(reader, workload)
  return { settings, faults: reader.faults }
}

describe('OP-02 the settings of the target kubernetes', () => {
  it('are undefined for the target process, also where their variables are set', () => {
    expect(read({})).toEqual({ settings: undefined, faults: [] })
    expect(read({ ...CHOSEN, SVC_DEPLOY_TARGET: 'process' })).toEqual({ settings: undefined, faults: [] })
  })

  it('have defaults for what the cluster and the release say', () => {
    expect(read(CHOSEN)).toEqual({
      faults: [],
      settings: {
        apiServer: 'https://10.96.0.1',
        credentialsDir: '/var/run/secrets/kubernetes.io/serviceaccount',
        namespacePrefix: 'svc-',
        image: 'registry.example.com/svc:1',
        runnerImage: 'docker.io/library/node:24-bookworm-slim',
        pullConfig: undefined,
        apiUrl: 'http://svc-api-gateway.svc.svc',
        audience: 'svc-control-plane',
      },
    })
  })

  it('take the address that people use where pods have no other, and the API server that the operator names', () => {
    const { SVC_KUBERNETES_APPS_API_URL: _, ...rest } = CHOSEN
    const env = {
      ...rest,
      SVC_REDIRECT_BASE_URL: 'https://app.example.com',
      SVC_KUBERNETES_API_SERVER: 'https://k8s.example.com:6443',
    }
    const { settings } = read(env, { ...POD, apiServer: undefined })
    expect([settings?.apiUrl, settings?.apiServer]).toEqual(['https://app.example.com', 'https://k8s.example.com:6443'])
  })

  it.each<[string, Environment, Partial<WorkloadSettings>, string]>([
    [
      'a target that does not exist',
      { SVC_DEPLOY_TARGET: 'docker' },
      {},
      'SVC_DEPLOY_TARGET must be one of process, kubernetes',
    ],
    [
      'no API server outside of a cluster',
      {},
      { apiServer: undefined },
      'SVC_DEPLOY_TARGET=kubernetes requires SVC_KUBERNETES_API_SERVER, outside of a cluster',
    ],
    [
      'an API server without TLS',
      { SVC_KUBERNETES_API_SERVER: 'http://k8s.example.com' },
      {},
      'SVC_KUBERNETES_API_SERVER must be an address beginning with https://',
    ],
    [
      'no image of svc',
      { SVC_KUBERNETES_IMAGE: '' },
      {},
      'SVC_DEPLOY_TARGET=kubernetes requires SVC_KUBERNETES_IMAGE, the image of svc, which fetches the source of an app',
    ],
    [
      'no address of svc for pods',
      { SVC_KUBERNETES_APPS_API_URL: '' },
      {},
      'SVC_DEPLOY_TARGET=kubernetes requires SVC_KUBERNETES_APPS_API_URL, the address of svc that pods reach',
    ],
    [
      'no projected tokens',
      {},
      { projectedAudience: undefined },
      'SVC_DEPLOY_TARGET=kubernetes requires SVC_WORKLOAD_AUDIENCE not to be empty, because pods fetch their source with a projected token',
    ],
  ])('are refused with %s', (_what, env, workload, fault) => {
    expect(read({ ...CHOSEN, ...env }, { ...POD, ...workload }).faults).toEqual([fault])
  })

  it.each(['Svc-', '1svc', 'svc_', '-svc', 'a'.repeat(31)])('are refused with the namespace prefix %s', (prefix) => {
    expect(read({ ...CHOSEN, SVC_KUBERNETES_NAMESPACE_PREFIX: prefix }).faults).toEqual([
      'SVC_KUBERNETES_NAMESPACE_PREFIX must begin with a lower-case letter and have at most 30 lower-case letters, digits and hyphens',
    ])
  })

  it.each(['a', 'a'.repeat(30), 'team-1-'])('accept the namespace prefix %s', (prefix) => {
    expect(read({ ...CHOSEN, SVC_KUBERNETES_NAMESPACE_PREFIX: prefix }).settings?.namespacePrefix).toBe(prefix)
  })

  it.each([
    '{"auths":{"registry.example.com":{"auth":"dTpw"}}}',
    '{"auths":{"registry.example.com":{"username":"u","password":"p","email":"a@b.c"}}}',
  ])('accept the logins %s', (text) => {
    expect(read({ ...CHOSEN, SVC_KUBERNETES_PULL_CONFIG: text }).settings?.pullConfig).toBe(text)
  })

  it.each(['secret-1', '"secret-1"', '{"auths":{}}', '{"credHelpers":{"r":"x"}}', '{"auths":{"r":{"username":"u"}}}'])(
    'are refused with the logins %s, which are not repeated',
    (text) => {
      expect(read({ ...CHOSEN, SVC_KUBERNETES_PULL_CONFIG: text }).faults).toEqual([
        'SVC_KUBERNETES_PULL_CONFIG must be a Docker configuration in JSON with at least one login: {"auths": {"registry.example.com": {"username": "…", "password": "…"}}}',
      ])
    },
  )
})
