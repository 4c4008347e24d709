"""Uploads a file with the generated client, follows it to its end, and prints its status."""

import io
import pathlib
import sys

from generated import AuthenticatedClient
from generated.api.upload_requests import create_upload_request, read_upload_request
from generated.models import (
    CreateUploadRequestBody,
    CreateUploadRequestFamily,
    ReadUploadRequestFamily,
    UploadRequest,
)
from generated.types import File

url, token, path = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, prefix="SERVICE-API-KEY")
file = File(io.BytesIO(pathlib.Path(path).read_bytes()), "costs.csv", "text/csv")
request = create_upload_request.sync(
    CreateUploadRequestFamily.COST,
    client=client,
    body=CreateUploadRequestBody(file=file),
)
while isinstance(request, UploadRequest) and request.status.value not in ("succeeded", "failed"):
    request = read_upload_request.sync(
        ReadUploadRequestFamily.COST, request.request_id, client=client, prefer="wait=20"
    )
print(request.status.value if isinstance(request, UploadRequest) else request)
