import { expect, it } from 'vitest'
import { isPlainPath } from './plain-path.ts'

it.each([
  ['/api/v1/orgs', true],
  ['/', true],
  ['/files/a%20b', true],
  ['/files/%C3%A9', true],
  ['/x?to=//evil/../%61', true],
  ['/%61pi/v1/orgs', false],
  ['/api%2fv1', false],
  ['/api%2Fv1/admin', false],
  ['/api/v1%5cadmin', false],
  ['//api/v1', false],
  ['/api//v1', false],
  ['/api/./v1', false],
  ['/api/../v1', false],
  ['/api/..', false],
  ['/api/%2e%2e/v1', false],
  ['/a%00b', false],
  ['/a%', false],
  ['/a%zz', false],
  ['/a\\b', false],
])('%s: %s', (target, plain) => {
  expect(isPlainPath(target)).toBe(plain)
})
