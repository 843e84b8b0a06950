#!/usr/bin/env bash
# Registers the staged servers in the MCP registry. Run it after npm shows the versions.
set -euo pipefail
VERSION=v1.4.0
curl -fsSL "https://github.com/modelcontextprotocol/registry/releases/download/$VERSION/mcp-publisher_${VERSION#v}_linux_amd64.tar.gz" |
  tar -xz mcp-publisher
./mcp-publisher login github-oidc
for server in release/*/server.json; do
  (cd "$(dirname "$server")" && ../../mcp-publisher publish)
done
