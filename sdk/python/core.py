"""Client for the Platbook API. It needs Python 3.9 or newer and nothing else.

    from platbook import Platbook

    platbook = Platbook("sk_test_...")
    home = platbook.lookup_property(address="1208 Lantern Hill Dr, Port Ellowby, ZZ 00103")
    value = platbook.estimate_value({"property": {"id": home["id"]}})
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Union

__all__ = ["Platbook", "PlatbookError", "WebhookVerificationError", "verify_webhook"]
__version__ = "__VERSION__"

Json = Dict[str, Any]


class PlatbookError(Exception):
    """A failed call. `code` is stable, so branch on it."""

    def __init__(self, status: int, problem: Json, retry_after: Optional[float] = None):
        self.status = status
        self.problem = problem
        self.code: str = problem.get("code", "connection_failed" if status == 0 else "internal_error")
        self.detail: str = problem.get("detail", "")
        self.request_id: Optional[str] = problem.get("request_id")
        self.is_retryable: bool = problem.get("retryable", status == 0 or status == 429 or status >= 500)
        self.retry_after = retry_after
        super().__init__(f"{self.code}: {self.detail}")


class WebhookVerificationError(Exception):
    """The delivery was not signed with this secret, or is too old."""


class _SameRequest(urllib.request.HTTPRedirectHandler):
    """Follows the redirect of a merged parcel, but never takes the key to another host."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        if urllib.parse.urlsplit(newurl).netloc != urllib.parse.urlsplit(req.full_url).netloc:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Platbook:
    """Every operation of the API is a method, named by its operation ID.

    Values in the path are positional, those in the query are named, and a body is a dict.
    Reads and POSTs are retried; a POST carries an idempotency key, so it is carried out and charged once.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str = "__BASE_URL__",
        timeout: float = 60,
        max_retries: int = 6,
        max_retry_wait: float = 60,
    ):
        self.api_key = api_key
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout
        self.max_retries = max_retries
        self.max_retry_wait = max_retry_wait
        self._opener = urllib.request.build_opener(_SameRequest())

    def iterate(self, operation: Callable[..., Any], *args: Any, **query: Any) -> Iterator[Json]:
        """Every item of a list, page by page: `for home in platbook.iterate(platbook.search_properties, state="ZZ")`."""
        while True:
            page = operation(*args, **query)
            yield from page["data"]
            cursor = (page.get("pagination") or {}).get("next_cursor")
            if not cursor:
                return
            if args and isinstance(args[-1], dict):
                args = (*args[:-1], {**args[-1], "cursor": cursor})
            else:
                query["cursor"] = cursor

    def _call(self, method: str, path: str, query: Json, body: Optional[Any] = None) -> Any:
        url = self.base_url + path
        pairs = [(name, _text(value)) for name, value in query.items() if value is not None]
        if pairs:
            url += "?" + urllib.parse.urlencode(pairs)
        headers = {"x-api-key": self.api_key, "accept": "application/json, */*;q=0.5", "user-agent": "platbook-python"}
        data = None
        if body is not None:
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            headers["content-type"] = "text/csv" if isinstance(body, str) else "application/json"
        if method == "POST":
            headers["idempotency-key"] = str(uuid.uuid4())
        for attempt in range(self.max_retries + 1):
            try:
                return self._send(urllib.request.Request(url, data=data, headers=headers, method=method))
            except PlatbookError as error:
                wait = error.retry_after if error.retry_after is not None else _backoff(attempt)
                is_safe = method in ("GET", "POST")
                if attempt == self.max_retries or not (is_safe and error.is_retryable) or wait > self.max_retry_wait:
                    raise
                time.sleep(wait)

    def _send(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                content = response.read()
                kind = response.headers.get("content-type", "")
        except urllib.error.HTTPError as error:
            raise _problem_of(error) from None
        except (http.client.HTTPException, OSError) as error:
            raise PlatbookError(0, {"detail": str(getattr(error, "reason", error))}) from error
        if not content:
            return None
        if "json" in kind and "ndjson" not in kind:
            return json.loads(content)
        return content.decode() if kind.startswith(("text/", "application/x-ndjson")) else content


def verify_webhook(
    payload: Union[str, bytes],
    headers: Mapping[str, str],
    secret: Union[str, List[str]],
    now: Optional[float] = None,
) -> Json:
    """Checks the signature of a delivery (Standard Webhooks) and returns its event.

    `payload` is the raw body, before any JSON parsing. Deliveries can repeat: ignore a `webhook-id` that you know.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    body = payload.encode() if isinstance(payload, str) else payload
    message_id, timestamp = lower.get("webhook-id", ""), lower.get("webhook-timestamp", "")
    is_number = timestamp.isdecimal() and len(timestamp) < 20
    if not is_number or abs((time.time() if now is None else now) - int(timestamp)) > 300:
        raise WebhookVerificationError("The webhook-timestamp header is invalid or too far from the current time.")
    signed = f"{message_id}.{timestamp}.".encode() + body
    given = [part[3:].encode() for part in lower.get("webhook-signature", "").split(" ") if part.startswith("v1,")]
    for each in [secret] if isinstance(secret, str) else secret:
        key = base64.b64decode(each[6:] if each.startswith("whsec_") else each)
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, signature) for signature in given):
            return json.loads(body)
    raise WebhookVerificationError("No signature in the webhook-signature header fits the secret.")


def _backoff(attempt: int) -> float:
    """Six of them wait 12 to 24 seconds in all, so that a restart of the server is outlasted."""
    return min(8.0, 0.5 * 2**attempt) * random.uniform(0.5, 1)


def _problem_of(error: urllib.error.HTTPError) -> PlatbookError:
    try:
        problem = json.loads(error.read())
    except (ValueError, http.client.HTTPException, OSError):
        problem = {"detail": f"Status {error.code}"}
    retry_after = error.headers.get("retry-after")
    seconds = float(retry_after) if retry_after and retry_after.isdigit() else None
    return PlatbookError(error.code, problem if isinstance(problem, dict) else {}, seconds)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(each) for each in value)
    return str(value)
