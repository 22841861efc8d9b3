import { expect, it } from 'vitest'
import { testEnvironment } from '#test/system.ts'
import { readSettings } from './config.ts'

const read = (env: Record<string, string>) => readSettings({ ...testEnvironment(undefined, '/nonexistent'), ...env })

it('DS-01 an organization has 20 databases and 40 connections unless the operator says otherwise', () => {
  expect(read({}).databases.orgLimits).toEqual({ databases: 20, connections: 40, reservedConnections: 30 })
})

it('DS-01 fewer connections than two for each database of an organization are refused', () => {
  expect(() => read({ SVC_DATABASES_PER_ORG: '21' })).toThrow(
    'SVC_DATABASE_CONNECTIONS_PER_ORG must be at least 42: 2 for each of the 21 databases that SVC_DATABASES_PER_ORG allows',
  )
})
