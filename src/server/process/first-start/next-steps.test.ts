import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nextSteps } from './next-steps.ts'

const commandsOf = (text: string) => text.split('\n').filter((line) => line.includes('npx svc'))
const first = (dataDir: string) => commandsOf(nextSteps('http://127.0.0.1:8080', dataDir, true))[0]

describe('OP-01 the commands that the first start prints', () => {
  it('log in without options where the client finds the data folder by itself', () => {
    expect(first(resolve('.svc'))).toBe('  npx svc login')
  })

  it('name any other data folder, quoted for a shell where needed', () => {
    expect(first(resolve('data'))).toBe('  SVC_DATA_DIR=data npx svc login')
    expect(first('/var/lib/svc')).toBe('  SVC_DATA_DIR=/var/lib/svc npx svc login')
    expect(first(join('/tmp', "it's here"))).toBe("  SVC_DATA_DIR='/tmp/it'\\''s here' npx svc login")
  })

  it('run the client that is installed, where there is no checkout that has it', () => {
    const text = nextSteps('http://127.0.0.1:8080', '/var/lib/svc', true, 'svc')
    expect(text).toContain(
      '\n  npm install -g http://127.0.0.1:8080/client.tgz\n  SVC_DATA_DIR=/var/lib/svc svc login\n',
    )
    expect(text).toContain('\n  SVC_DATA_DIR=/var/lib/svc svc login\n  svc datasource query db_handbook ')
    expect(text).not.toContain('npx')
  })

  it('ask the example only when there is one', () => {
    expect(commandsOf(nextSteps('http://127.0.0.1:8080', '/d', false))[1]).toBe('  npx svc datasource list')
  })
})
