import { expect, it } from 'vitest'
import { findProtection } from './protected-paths.ts'

it.each([
  ['a lockfile', ['package-lock.json', 'apps/web/yarn.lock', 'pnpm-lock.yaml', 'go.sum', 'Cargo.lock', 'bun.lockb']],
  [
    'a manifest of dependencies or of the toolchain',
    [
      'package.json',
      'api/package.json',
      'pyproject.toml',
      'requirements-dev.txt',
      'go.mod',
      '.npmrc',
      'Gemfile',
      'pom.xml',
    ],
  ],
  [
    'configuration of CI or of git',
    ['.github/workflows/ci.yml', '.gitlab-ci.yml', 'Jenkinsfile', '.husky/pre-commit', '.gitmodules', 'CODEOWNERS'],
  ],
  [
    'configuration of builds and deploys',
    ['Dockerfile', 'api/Dockerfile.prod', 'chart/values.yaml', 'docker-compose.yml', 'infra/main.tf', 'Procfile'],
  ],
  [
    'a program of the build or of the tests',
    [
      'Makefile',
      'GNUmakefile',
      'rules/common.mk',
      'Taskfile.yml',
      'Taskfile.dist.yaml',
      'Gulpfile.js',
      'gulpfile.babel.mjs',
      'Gruntfile.coffee',
      'Rakefile',
      'justfile',
      'CMakeLists.txt',
      'cmake/flags.cmake',
      'meson.build',
      'BUILD.bazel',
      'WORKSPACE',
      'tools/defs.bzl',
      'build.sh',
      'scripts/deploy.sh',
      'scripts/setup.ps1',
      'build.rs',
      'build.mjs',
      'conftest.py',
      'tests/conftest.py',
      'noxfile.py',
      'sitecustomize.py',
      'site/evil.pth',
      'tox.ini',
      'vite.config.ts',
      'web/vite.config.production.mjs',
      'webpack.config.js',
      'webpack.prod.js',
      'rollup.config.mjs',
      'esbuild.js',
      'esbuild.config.mjs',
      'esbuild-plugins.ts',
      'next.config.mjs',
      'svelte.config.js',
      'tailwind.config.cjs',
      'jest.config.json',
      'jest.setup.ts',
      'playwright.config.ts',
      'eslint.config.js',
      '.eslintrc.cjs',
      '.babelrc',
      'tsconfig.json',
      'tsconfig.build.json',
      'turbo.json',
      'gradlew',
      'build/extra.gradle.kts',
      'gradle/wrapper/gradle-wrapper.properties',
      '.mvn/wrapper/maven-wrapper.properties',
      'Directory.Build.targets',
      '.cargo/config.toml',
      '.storybook/main.ts',
      '.vscode/tasks.json',
      'magefile.go',
    ],
  ],
  [
    'a file of secrets',
    ['.env', '.env.local', 'config/prod.env', 'certs/server.pem', 'tls.key', 'secrets.yaml', '.ssh/config', 'id_rsa'],
  ],
  [
    'instructions for agents',
    [
      'AGENTS.md',
      'docs/CLAUDE.md',
      'GEMINI.md',
      '.cursorrules',
      '.claude/settings.json',
      '.mcp.json',
      'skills/x/SKILL.md',
    ],
  ],
  [
    'a migration or a schema of a database',
    ['migrations/0001.sql', 'db/migrate/2024_add.rb', 'prisma/schema.prisma', 'alembic/versions/a.py', 'db/seed.sql'],
  ],
  [
    'configuration of sign-in or of permissions',
    ['config/auth.yaml', 'auth.config.ts', 'permissions.json', 'src/oauth.config.js', 'policy.rego', '.htaccess'],
  ],
])('MA-10 the agent may not change %s', (what, paths) => {
  expect(paths.map((path) => [path, findProtection(path)])).toEqual(paths.map((path) => [path, what]))
})

it('MA-10 other spellings of a protected name are protected too', () => {
  const spellings = ['DOCKERFILE', 'Package.JSON', 'Agents.MD', '.ENV', 'ｐackage.json']
  expect(spellings.filter((path) => findProtection(path) === undefined)).toEqual([])
})

it('MA-10 the code of an app is not protected', () => {
  const code = ['src/server.js', 'src/auth/login.ts', 'lib/token.py', 'index.html', 'README.md', 'src/migrate-user.ts']
  const more = ['src/environment.ts', 'src/package.ts', 'app/keys.rb', 'src/agents.ts', 'src/security.ts', 'clock.go']
  const others = [
    'src/hooks/use-cart.ts',
    'app/tasks.py',
    'src/config.ts',
    'src/builder.ts',
    'lib/make.js',
    'src/vitest-report.md',
  ]
  expect([...code, ...more, ...others].filter((path) => findProtection(path) !== undefined)).toEqual([])
})
