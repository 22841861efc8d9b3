import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ConfigError } from '../../config/reader.ts'
import { loadOrMakeSecrets } from './embedded-secrets.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

it('AU-08 secrets are made once and stay the same', () => {
  const dataDir = folder()
  const firstSecrets = loadOrMakeSecrets(dataDir)
  expect(firstSecrets.dataKeys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect(loadOrMakeSecrets(dataDir)).toEqual(firstSecrets)
})

it('AU-08 a data key put first in the file is the current one', () => {
  const dataDir = folder()
  const { dataKeys } = loadOrMakeSecrets(dataDir)
  const file = join(dataDir, 'secrets.json')
  const added = 'ab'.repeat(32)
  writeFileSync(file, readFileSync(file, 'utf8').replace(dataKeys[0], `${added}", "${dataKeys[0]}`))
  expect(loadOrMakeSecrets(dataDir).dataKeys).toEqual([added, dataKeys[0]])
})

it.each([
  ['{"dataKeys": ["short"]}', /dataKeys in .*secrets\.json must be a list of keys of 64 hex digits/],
  ['{"dataKeys": []}', /dataKeys in .*secrets\.json must be a list/],
  ['{"dataKeys": "ab"}', /dataKeys in .*secrets\.json must be a list/],
  ['{"dataKeys": [', /secrets\.json is not valid JSON/],
])('AU-08 a faulty file is reported and left unchanged: %s', (text, words) => {
  const dataDir = folder()
  const file = join(dataDir, 'secrets.json')
  writeFileSync(file, text)
  expect(() => loadOrMakeSecrets(dataDir)).toThrow(ConfigError)
  expect(() => loadOrMakeSecrets(dataDir)).toThrow(words)
  expect(readFileSync(file, 'utf8')).toBe(text)
})
