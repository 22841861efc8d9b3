import { Page } from '#console/parts/page/page.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { providerSteps } from './provider-steps.ts'

/** How the operator sets up sign-in for other people. */
export function IdentityProvider() {
  return (
    <Page title="Set up an identity provider">
      <p>
        People can sign in through Google, Microsoft or any provider that speaks OpenID Connect, such as Okta or
        Keycloak. The operator of this installation sets that up; one of them is enough. It replaces sign-in by mailed
        links. <a href="/guides/auth#self-hosted-sign-in">The guide</a> has the details.
      </p>
      <div className="stack halves">
        {providerSteps(location.origin).map(({ name, redirectUri, variables }) => (
          <section key={name} className="card">
            <h2>{name}</h2>
            <ol>
              <li>
                Create an OAuth client of the type web application at the provider, with this redirect URI:
                <Copy isBlock text={redirectUri} />
              </li>
              <li>
                Start svc with these variables, and the values that the provider shows:
                <Copy isBlock text={variables} />
              </li>
            </ol>
          </section>
        ))}
      </div>
      <p>
        To try it on this machine without an account anywhere, start{' '}
        <code>node examples/identity-provider/start.js</code> in a checkout. It checks no password.
      </p>
      <p>Afterwards, invite colleagues under Organization settings → Members.</p>
    </Page>
  )
}
