import { BUILD_FILES } from './build-files.ts'

/**
 * Files that the agent may read and never change, because a change of one reaches further than the app's own code: it
 * can run commands at the next build, let somebody in, or instruct the next agent.
 */
const PROTECTED: readonly { readonly what: string; readonly paths: RegExp }[] = [
  {
    what: 'a lockfile',
    paths:
      /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|packages\.lock\.json|pnpm-lock\.yaml|go\.sum|gradle\.lockfile|bun\.lockb?|[^/]+\.lock)$/,
  },
  {
    what: 'a manifest of dependencies or of the toolchain',
    paths:
      /(?:^|\/)(?:package\.json|pnpm-workspace\.yaml|\.npmrc|\.yarnrc[^/]*|\.pnpmfile\.cjs|bunfig\.toml|deno\.jsonc?|\.nvmrc|\.node-version|\.tool-versions|cargo\.toml|rust-toolchain[^/]*|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|pipfile|gemfile|[^/]+\.gemspec|go\.(?:mod|work)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|composer\.json|mix\.exs|[^/]+\.(?:cs|fs|vb)proj|nuget\.config)$/,
  },
  {
    what: 'configuration of CI or of git',
    paths:
      /(?:^|\/)(?:\.github|\.gitlab|\.circleci|\.ci|\.buildkite|\.woodpecker|\.husky|\.githooks)\/|(?:^|\/)(?:jenkinsfile|azure-pipelines[^/]*|bitbucket-pipelines\.yml|codeowners|lefthook\.ya?ml|\.(?:gitlab-ci|travis|drone|woodpecker|pre-commit-config)[^/]*|\.git[^/]*)$/,
  },
  {
    what: 'configuration of builds and deploys',
    paths:
      /(?:^|\/)(?:charts?|helm|k8s|kubernetes|terraform|\.devcontainer)\/|(?:^|\/)(?:(?:docker|container)file[^/]*|[^/]+\.(?:dockerfile|tf|tfvars|nix)|\.dockerignore|(?:docker-)?compose[^/]*\.ya?ml|procfile[^/]*|fly\.toml|vercel\.json|netlify\.toml|railway\.(?:json|toml)|render\.ya?ml|wrangler\.(?:jsonc?|toml)|serverless\.ya?ml|app\.ya?ml|skaffold\.ya?ml|helmfile[^/]*|nixpacks\.toml|\.buildpacks|[^/]+\.service)$/,
  },
  {
    what: 'a file of secrets',
    paths:
      /(?:^|\/)(?:\.env[^/]*|[^/]+\.env|\.envrc|[^/]+\.(?:pem|key|p12|pfx|crt|cer|jks|keystore|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|\.netrc|\.pgpass|\.htpasswd|(?:secrets?|credentials?)(?:\.[^/]+)?)$|(?:^|\/)(?:\.ssh|\.aws|\.gnupg|secrets?)\//,
  },
  {
    what: 'instructions for agents',
    paths:
      /(?:^|\/)(?:\.claude|\.codex|\.cursor|\.gemini|\.windsurf|\.agents?)\/|(?:^|\/)(?:agents?\.md|claude(?:\.local)?\.md|gemini\.md|skill\.md|copilot-instructions\.md|llms[^/]*\.txt|\.(?:cursor|windsurf|cline|roo)rules[^/]*|\.aider[^/]*|\.?mcp\.json)$/,
  },
  {
    what: 'a migration or a schema of a database',
    paths: /(?:^|\/)(?:migrations?|migrate|alembic)\/|(?:^|\/)(?:schema\.(?:sql|rb|prisma)|structure\.sql|[^/]+\.sql)$/,
  },
  {
    what: 'configuration of sign-in or of permissions',
    paths:
      /(?:^|\/)(?:auth[nz]?|oauth2?|oidc|saml|sso|passport|rbac|acl|permissions?|polic(?:y|ies)|cors|csp|security)(?:[.-]config)?\.(?:json|jsonc|ya?ml|toml|ini|conf|xml|properties|rego|config\.[cm]?[jt]s)$|(?:^|\/)(?:auth|oauth2?|permissions?|security)[.-]config\.[cm]?[jt]s$|(?:^|\/)\.htaccess$/,
  },
  // Last, because the kinds above say more about a file that is both.
  { what: 'a program of the build or of the tests', paths: BUILD_FILES },
]

/** Returns what a file is if the agent may not change it, and undefined for all other files. */
export function findProtection(path: string): string | undefined {
  const name = path.normalize('NFKC').toLowerCase()
  return PROTECTED.find(({ paths }) => paths.test(name))?.what
}

/** The kinds of protected files, to tell a model beforehand. */
export const PROTECTED_KINDS: readonly string[] = PROTECTED.map(({ what }) => what)
