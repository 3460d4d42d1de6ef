// The session cookie: out of reach of scripts, not sent by other sites, and bound to this host where there is TLS.

export interface Cookie {
  name: string;
  read(header: string | undefined): string | undefined;
  write(token: string): string;
  clear(): string;
}

const MAX_AGE_SECONDS = 30 * 86_400;

export function sessionCookie(baseUrl: string): Cookie {
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-platbook_session' : 'platbook_session';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    read: (header) =>
      header
        ?.split(/; */)
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    write: (token) => `${name}=${token}; Max-Age=${MAX_AGE_SECONDS}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
