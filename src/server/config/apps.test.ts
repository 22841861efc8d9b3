import { describe, expect, it } from 'vitest'
import { readApps } from './apps.ts'
import { type Environment, EnvironmentReader } from './reader.ts'

const settingsOf = (env: Environment, isEmbedded: boolean) => readApps(new EnvironmentReader(env), isEmbedded)

describe('settings of apps', () => {
  it.each<[string, Environment, boolean, boolean]>([
    ['are allowed on the embedded default', {}, true, true],
    ['can be switched off there', { SVC_ALLOW_PROCESS_DEPLOYS: 'false' }, true, false],
    ['must be allowed with a database server', {}, false, false],
    ['are allowed there by the operator', { SVC_ALLOW_PROCESS_DEPLOYS: 'true' }, false, true],
  ])('deploys %s', (_what, env, isEmbedded, isAllowed) => {
    const { deploysOff } = settingsOf(env, isEmbedded)
    expect(deploysOff === undefined).toBe(isAllowed)
    if (!isAllowed) expect(deploysOff).toContain('SVC_ALLOW_PROCESS_DEPLOYS=true')
  })

  it('memory is given in megabytes, within bounds', () => {
    expect(settingsOf({}, true)).toMatchObject({ memoryBytes: 512 * 2 ** 20, buildMemoryBytes: 2048 * 2 ** 20 })
    const read = new EnvironmentReader({ SVC_APP_MEMORY_MB: '64', SVC_BUILD_MEMORY_MB: 'much' })
    readApps(read, true)
    expect(read.faults).toEqual([
      'SVC_APP_MEMORY_MB must be a whole number from 128 to 65536',
      'SVC_BUILD_MEMORY_MB must be a whole number from 128 to 65536',
    ])
  })

  it('OP-09 an organization has totals, by default room for one build and four apps', () => {
    expect(settingsOf({}, true).organization).toEqual({
      memoryBytes: 4096 * 2 ** 20,
      processes: 4096,
      diskBytes: 20_480 * 2 ** 20,
    })
    expect(settingsOf({ SVC_APP_MEMORY_MB: '4096' }, true).organization.memoryBytes).toBe(18_432 * 2 ** 20)
  })

  it('OP-09 a total of memory that is too little for one build is refused', () => {
    const read = new EnvironmentReader({ SVC_APPS_MEMORY_PER_ORG_MB: '1024', SVC_APPS_DISK_PER_ORG_MB: '1' })
    readApps(read, true)
    expect(read.faults).toEqual([
      'SVC_APPS_MEMORY_PER_ORG_MB must be at least 2048: what one app (SVC_APP_MEMORY_MB) and one build ' +
        '(SVC_BUILD_MEMORY_MB) may use',
      'SVC_APPS_DISK_PER_ORG_MB must be a whole number from 1024 to 104857600',
    ])
  })
})
