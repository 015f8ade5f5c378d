"""A client of `posepress mcp`, on the official package `mcp`: finds the three worst clips of a file, fixes them within a size and exports.

    python mcp_client.py PROGRAM FILE FOLDER

Prints the calls, one per line, and as the last line the exported clips as JSON.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

# A coarse recipe, with which some clips fail.
START = {"codec": "linear-keys", "tolerance_m": 0.002, "shell_from_mesh": False}


async def work(program: str, file: str, folder: str) -> None:
    server = StdioServerParameters(command=program, args=["mcp", "--allow-write", folder])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert {"list", "settings", "judge", "explain", "tune", "fit", "picture", "export"} <= names, names
        calls = 0

        async def call(tool: str, **arguments):
            nonlocal calls
            calls += 1
            result = await session.call_tool(tool, arguments)
            assert not getattr(result, "isError", getattr(result, "is_error", False)), (tool, result.content)
            content = result.content[0]
            print(calls, tool, arguments.get("clips", ""))
            return content if content.type == "image" else json.loads(content.text)

        listed = await call("list", files=[file])
        count = len(listed["files"][0]["clips"])
        judged = await call("judge", files=[file], recipe=START, worst=3)
        worst = [row["clip"] for row in judged["clips"]]
        assert judged["all_clips"] == count and len(worst) == 3, judged
        before = {row["clip"]: row for row in judged["clips"]}
        assert all(row["verdict"] != "good" for row in before.values()), before
        explained = await call("explain", files=[file], clips=[worst[0]], recipe=START)
        assert explained["clips"][0]["why"] or explained["clips"][0]["judged"]
        recipes = [{"codec": "press", "tolerance_m": 0.0005}, {"codec": "press"}]
        tuned = await call("tune", files=[file], clips=worst, recipes=recipes)
        passing = [
            one for one in tuned if all(row["verdict"] == "good" for row in one["result"]["clips"])
        ]
        smallest = min(passing, key=lambda one: sum(row["bytes"] for row in one["result"]["clips"]))
        picture = await call("picture", files=[file], clips=[worst[0]], recipe=smallest["recipe"])
        assert picture.type == "image"
        size = sum(row["bytes"] for row in smallest["result"]["clips"])
        kilobytes = round(1.5 * size / 1024 + 4, 1)
        fitted = await call("fit", files=[file], clips=worst, recipe=smallest["recipe"], kilobytes=kilobytes)
        assert all(row["verdict"] == "good" for row in fitted["clips"]), fitted
        exported = await call(
            "export", files=[file], clips=worst, recipe=smallest["recipe"], kilobytes=kilobytes, output="worst.posepress"
        )
        assert calls <= 10
        rows = [
            {"clip": row["clip"], "before": before[row["clip"]]["verdict"], "after": row["verdict"], "bytes": row["bytes"]}
            for row in exported["clips"]
        ]
        print(json.dumps({"kilobytes": kilobytes, "clips": rows}))


asyncio.run(work(*sys.argv[1:]))
