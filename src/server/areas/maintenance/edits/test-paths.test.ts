import { expect, it } from 'vitest'
import { findAddedPathFault, isTestPath } from './test-paths.ts'

it.each([
  'cart.test.mjs',
  'src/cart.spec.ts',
  'app/cart/page.test.tsx',
  'src/routes/cart.test.ts',
  'test/cart.js',
  'test/api/cart.js',
  'tests/public/login.js',
  'Tests/Cart.cs',
  'spec/cart_spec.rb',
  '__tests__/cart.jsx',
  'tests/test_cart.py',
  'shop/test_cart.py',
  'shop/cart_test.py',
  'cart/cart_test.go',
  'lib/cart_test.rb',
  'src/test/java/com/acme/CartTest.java',
  'Shop.Tests/CartTests.cs',
  'test.mjs',
])('MA-16 %j is the path of a test, which the agent may add', (path) => {
  expect([isTestPath(path), findAddedPathFault(path)]).toEqual([true, undefined])
})

it.each([
  'app/api/test/route.ts',
  'pages/api/test/index.js',
  'src/routes/test/+server.ts',
  'public/test/shell.php',
  'api/test/index.js',
  'src/main/java/com/acme/test/BackdoorController.java',
  'config/initializers/test/x.rb',
  'lib/ab-test.js',
  'openapi/spec.yaml',
  'openapi.spec.yaml',
  'config/database.test.json',
  'app/__tests__/route.ts',
  'server/api/tests/cart.js',
  'functions/spec/index.js',
  'static/tests/a.html',
  'src/test.js',
  'src/spec.rb',
  'pages/api/cart.test.js',
  'public/shell.test.php',
  'src/main/java/com/acme/BackdoorTest.java',
  'config/initializers/x_test.rb',
  'node_modules/pg/test/a.test.js',
  'test/node_modules/a.js',
  'cart.mjs',
  'src/contest.js',
  'src/Latest.java',
  'src/testing.ts',
  'attest/a.js',
  'inspect.js',
])('MA-16 %j is not the path of a test, and the agent may not add it', (path) => {
  expect(isTestPath(path)).toBe(false)
  expect(findAddedPathFault(path)).toMatch(/^Only test files can be added: /)
})

it.each([
  ['test/../cart.js', /^The path of an added file has only/],
  ['../test/a.js', /^The path of an added file has only/],
  ['/test/a.js', /^The path of an added file has only/],
  ['test//a.js', /^The path of an added file has only/],
  ['.github/test/a.js', /^The path of an added file has only/],
  ['test/.hidden.js', /^The path of an added file has only/],
  ['test/a b.js', /^The path of an added file has only/],
  ['test/а.test.js', /^The path of an added file has only/],
  ['test/a\u202e.test.js', /^The path of an added file has only/],
  [`test/${'a'.repeat(200)}.js`, /^The path of an added file has at most 200 characters\.$/],
])('MA-16 the agent may not add %j', (path, reason) => {
  expect(findAddedPathFault(path)).toMatch(reason)
})
