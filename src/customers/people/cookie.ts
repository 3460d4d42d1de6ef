// Our cookies: out of reach of scripts, not sent by other sites, and bound to this host where there is TLS.

const SESSION_SECONDS = 30 * 86_400;
const SIGN_UP_SECONDS = 86_400;
const SSO_SECONDS = 600;

export const sessionCookie = (baseUrl: string) => createCookie(baseUrl, 'platbook_session', SESSION_SECONDS);

/** Identifies the browser that signed up when the emailed link is opened. */
export const signUpCookie = (baseUrl: string) => createCookie(baseUrl, 'platbook_sign_up', SIGN_UP_SECONDS);

/** Identifies the browser that started a single sign-on at the callback. */
export const ssoCookie = (baseUrl: string) => createCookie(baseUrl, 'platbook_sso', SSO_SECONDS);

function createCookie(baseUrl: string, plainName: string, maxAgeSeconds: number) {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read: (header: string | undefined) =>
      header
        ?.split(/; */)
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    write: (token: string) => `${name}=${token}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
