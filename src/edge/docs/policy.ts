// The content security policy of rendered pages: their own files, nothing from elsewhere.

export const SHARED_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `connect-src 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
  `form-action 'self'`,
];
export const PAGE_POLICY = [...SHARED_POLICY, `style-src 'self'`, `img-src 'self' data:`].join('; ');
