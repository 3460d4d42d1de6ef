-- The account and its invoices have scopes of their own. Keys that could read them through usage:read still can.
update api_keys set scopes = scopes || array['account:read', 'billing:read'] where 'usage:read' = any (scopes);
