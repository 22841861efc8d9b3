import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../../src/server/config/config.ts'
import { SERVICE_NAMES, SERVICE_TABLE } from '../../src/server/config/service-table.ts'

const CHART = join(import.meta.dirname, '..', '..', 'chart')
const read = (file: string): unknown => parse(readFileSync(join(CHART, file), 'utf8'))

type Row = { variable: string; value: string; services?: string[]; secret?: true }
type Variables = { values: Row[]; setByChart: Record<string, string>; notForClusters: Record<string, string> }
type Values = { [key: string]: Values }

const variables = read('files/variables.yaml') as Variables
const services = read('files/services.yaml') as Record<string, { calls: string[] }>
const settings = [...readSettings({}).names].toSorted()

it('OP-02 the table of the chart has every setting of the server once, and no other: add a new setting to chart/files/variables.yaml', () => {
  const byValue = new Set(variables.values.map(({ variable }) => variable))
  const named = [...byValue, ...Object.keys(variables.setByChart), ...Object.keys(variables.notForClusters)]
  expect(named.toSorted()).toEqual(settings)
})

it('OP-02 every variable that no value sets has a reason', () => {
  for (const reason of Object.values({ ...variables.setByChart, ...variables.notForClusters })) {
    expect(reason).toMatch(/\w+ \w+ \w+/)
  }
})

it('OP-02 every value of the table is in values.yaml, so that operators find it', () => {
  const values = read('values.yaml') as Values
  const missing = variables.values.filter(({ value }) => {
    const [last, ...path] = value.split('.').toReversed()
    const parent = path.toReversed().reduce<Values | undefined>((at, key) => at?.[key], values)
    return parent === undefined || !Object.hasOwn(parent, last!)
  })
  expect(missing).toEqual([])
})

it('OP-02 the values that a self-hosted set-up names set the variables of the server', () => {
  const pairs = variables.values.map(({ value, variable, services: only }) => [value, variable, only?.join()])
  expect(pairs).toEqual(
    expect.arrayContaining([
      ['auth-service.jwt.secret', 'SVC_JWT_SECRET', 'auth-service'],
      ['auth-service.jwt.signingKey', 'SVC_JWT_SIGNING_KEY', 'auth-service'],
      ['mcp-server.platform.jwtSecret', 'SVC_JWT_SECRET', 'mcp-server'],
      ['global.platformConnector.actorAssertionSecret', 'SVC_ACTOR_ASSERTION_SECRET', 'auth-service,mcp-server'],
      ['auth-service.redirectBaseUrl', 'SVC_REDIRECT_BASE_URL', undefined],
      ['auth-service.allowedRedirectBaseUrls', 'SVC_ALLOWED_REDIRECT_BASE_URLS', undefined],
      ['auth-service.microsoft.tenantId', 'SVC_MICROSOFT_TENANT_ID', 'auth-service'],
      ['auth-service.workloadIdentity.audience', 'WORKLOAD_AUDIENCE', 'auth-service'],
      ['deploy-api.workloadIdentity.audience', 'SVC_WORKLOAD_AUDIENCE', 'deploy-api,worker'],
    ]),
  )
})

it('OP-02 the chart lets each service reach the services it calls, and the api-gateway the apps of the worker', () => {
  expect(Object.keys(services).toSorted()).toEqual([...SERVICE_NAMES].toSorted())
  for (const name of SERVICE_NAMES) {
    const apps = name === 'api-gateway' ? ['worker'] : []
    expect(services[name]!.calls.toSorted(), name).toEqual([...SERVICE_TABLE[name].calls, ...apps].toSorted())
  }
})

it('OP-02 the versions of chart and server are those of the release', () => {
  const chart = read('Chart.yaml') as { version: string; appVersion: string }
  const { version } = JSON.parse(readFileSync(join(CHART, '..', 'package.json'), 'utf8')) as { version: string }
  expect(chart.appVersion).toBe(version)
  expect(chart.version.localeCompare('0.5.0', 'en', { numeric: true })).toBeGreaterThanOrEqual(0)
})
