import { describe, expect, it } from 'vitest'
import { createRouter, splitUrl } from './router.ts'

describe('a route is found', () => {
  const find = createRouter(
    [
      ['GET', '/things'],
      ['POST', '/things'],
      ['GET', '/things/{id}'],
      ['GET', '/things/mine'],
      ['GET', '/orgs/{org_id}/things/{id}'],
      ['GET', '/files/{name}.tar.gz'],
    ].map(([method, path]) => ({ method: method!, path: path!, target: `${method} ${path}` })),
  )

  it.each([
    ['GET', '/things', 'GET /things', {}],
    ['POST', '/things', 'POST /things', {}],
    ['GET', '/things/a', 'GET /things/{id}', { id: 'a' }],
    ['GET', '/things/mine', 'GET /things/mine', {}],
    ['GET', '/orgs/o/things/t', 'GET /orgs/{org_id}/things/{id}', { org_id: 'o', id: 't' }],
    ['GET', '/files/data.v1.tar.gz', 'GET /files/{name}.tar.gz', { name: 'data.v1' }],
    ['GET', '/things/caf%C3%A9%20%2b', 'GET /things/{id}', { id: 'café +' }],
    ['GET', '/things/%ff-%C3%A9', 'GET /things/{id}', { id: '%ff-é' }],
    ['GET', '/things/__proto__', 'GET /things/{id}', { id: '__proto__' }],
  ])('%s %s', (method, path, target, params) => {
    expect(find(method, path)).toEqual({ target, params })
  })

  it.each([
    ['PUT', '/things'],
    ['DELETE', '/things/a'],
    ['GET', '/things/'],
    ['GET', '/things/a/'],
    ['GET', '/things/a/b'],
    ['GET', '/Things'],
    ['GET', '/files/.tar.gz'],
    ['GET', '/files/dataXtarXgz'],
    ['get', '/things'],
    ['GET', ''],
  ])('not for %s %s', (method, path) => {
    expect(find(method, path)).toBeUndefined()
  })
})

describe('an address is taken apart', () => {
  it.each([
    ['http://host/', '/', ''],
    ['http://host:80/a/b?c=1&d=/x?', '/a/b', 'c=1&d=/x?'],
    ['https://[::1]/a?', '/a', ''],
    ['http://host/a#b', '/a', ''],
    ['http://host/a?b#c', '/a', 'b#c'],
    ['http://host/a%20b', '/a%20b', ''],
  ])('%s', (url, path, query) => {
    expect(splitUrl(url)).toEqual({ path, query })
  })
})
