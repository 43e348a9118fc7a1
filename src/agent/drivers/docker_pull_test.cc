// SPDX-License-Identifier: Apache-2.0
// Pulls, with an engine of the test's own.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <utility>

#include "agent/drivers/docker.h"
#include "base/bytes.h"
#include "base/guarded.h"
#include "base/random.h"
#include "http/block_on.h"
#include "http/server_fixture.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kLatest[] = "registry.test/web:latest";
constexpr char kPull[] = "registry.test/web:latest pulled";
constexpr char kUnreachable[] = R"({"message":"Get \"https://registry.test/v2/\": dial tcp: no such host"})";

// Keeps images, and what was requested of it.
class PullTest : public http::ServerFixture {
 protected:
  struct Engine {
    std::set<std::string> images;
    std::vector<std::string> pulls;
    int status = 200;          // of a pull
    std::string answer = "{}";  // to a pull
  };

  void SetUp() override {
    folder_ = testing::TempDir() + "stoker-pull-" + base::to_hex(base::random_bytes(6));
    std::filesystem::create_directories(folder_);
    start().listen_unix(folder_ + "/engine.sock");
    reopen();
  }
  void TearDown() override {
    driver_.reset();
    http::ServerFixture::TearDown();
    std::filesystem::remove_all(folder_);
  }

  void reopen() {
    DockerOptions options;
    options.socket = folder_ + "/engine.sock";
    options.image_pull = rule_;
    options.pulled_images_file = folder_ + "/pulled_images";
    driver_.reset();
    auto opened = open_docker(io_, options);
    ASSERT_TRUE(opened) << opened.error();
    driver_ = std::move(*opened);
  }
  void use(ImagePull rule) {
    rule_ = rule;
    reopen();
  }

  static http::Response json(int status, std::string body) {
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }

  http::Response create_image(Engine& engine, const std::string& query) {
    const std::size_t tag = query.find("&tag=");
    const std::string name = base::percent_decode(query.substr(0, tag)).value_or("") + ":" +
                             base::percent_decode(query.substr(tag + 5)).value_or("");
    engine.pulls.push_back(name + " pulled");
    if (engine.status == 200 && engine.answer == "{}") engine.images.insert(name);
    return json(engine.status, engine.answer);
  }

  asio::awaitable<http::Response> handle(http::Exchange& exchange) override {
    const std::string target(exchange.head().target);
    co_return engine_.with([&](Engine& engine) {
      if (target == "/version") return json(200, R"({"ApiVersion":"1.43","Version":"24"})");
      const std::size_t create = target.find("/images/create?fromImage=");
      if (create != target.npos) return create_image(engine, target.substr(create + 25));
      const std::size_t image = target.find("/images/");
      if (image == target.npos) return json(200, "{}");
      const std::string name = base::percent_decode(target.substr(image + 8, target.size() - image - 13)).value_or("");
      return engine.images.contains(name) ? json(200, R"({"Id":"sha256:1","RepoDigests":["registry.test/web@sha256:2"]})")
                                          : json(404, R"({"message":"No such image"})");
    });
  }

  // "" or the error.
  std::string pull(const std::string& image = kLatest) {
    progress_.clear();
    OnPullProgress note = [this](const PullProgress& progress) { progress_.push_back(progress); };
    auto pulled = http::block_on(io_.at(0), driver_->pull(image, std::move(note)));
    return pulled ? "" : pulled.error();
  }
  void have(const std::string& image) {
    engine_.with([&](Engine& engine) { engine.images.insert(image); });
  }
  void registry_answers(int status, std::string answer) {
    engine_.with([&](Engine& engine) {
      engine.status = status;
      engine.answer = std::move(answer);
    });
  }
  std::vector<std::string> pulls() {
    return engine_.with([](Engine& engine) { return std::exchange(engine.pulls, {}); });
  }

  std::string folder_;
  ImagePull rule_ = ImagePull::Default;
  base::Guarded<Engine> engine_;
  std::unique_ptr<Driver> driver_;
  std::vector<PullProgress> progress_;  // of the last pull
};

TEST_F(PullTest, ATagIsPulledAgainForEachContainer) {
  have(kLatest);
  EXPECT_EQ(pull(), "");
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(pulls(), ElementsAre(kPull, kPull));
}

TEST_F(PullTest, TheMachinesImageIsUsedWhereThePullFails) {
  registry_answers(404, R"({"message":"manifest for web:latest not found"})");
  EXPECT_THAT(pull(), HasSubstr("CannotPullContainerError: manifest for web:latest not found"));
  have(kLatest);
  EXPECT_EQ(pull(), "");
  registry_answers(200, "{\"error\":\"no space left on device\"}\n");
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(pulls(), ElementsAre(kPull, kPull, kPull)) << "the registry answered each time";
}

TEST_F(PullTest, ARegistryThatDoesNotAnswerDelaysOneStart) {
  have(kLatest);
  have("registry.test/other:1");
  registry_answers(500, kUnreachable);
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(pulls(), ElementsAre(kPull));
  EXPECT_EQ(pull(), "");
  EXPECT_EQ(pull("registry.test/other:1"), "");
  EXPECT_THAT(pulls(), ElementsAre());
  EXPECT_THAT(pull("registry.test/missing:1"), HasSubstr("no such host"));
  EXPECT_THAT(pulls(), ElementsAre("registry.test/missing:1 pulled")) << "there is no other way to get it";
  registry_answers(200, "{}");
  EXPECT_EQ(pull("registry.test/missing:1"), "");
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(pulls(), ElementsAre("registry.test/missing:1 pulled", kPull)) << "it is back";
}

TEST_F(PullTest, ItsProgressIsReportedFromItsBeginning) {
  have(kLatest);
  registry_answers(200, "{\"status\":\"Already exists\",\"id\":\"a\"}\n"
                        "{\"status\":\"Downloading\",\"id\":\"b\",\"progressDetail\":{\"current\":3,\"total\":9}}\n");
  EXPECT_EQ(pull(), "");
  ASSERT_FALSE(progress_.empty());
  EXPECT_EQ(progress_.front(), PullProgress());
  const PullProgress end{.layers = 2, .layers_done = 1, .layers_existing = 1, .downloaded_bytes = 3, .total_bytes = 9};
  EXPECT_EQ(progress_.back(), end);
}

TEST_F(PullTest, AnImageThatIsNotDownloadedHasNoProgress) {
  use(ImagePull::PreferCached);
  have(kLatest);
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(progress_, ElementsAre());
}

TEST_F(PullTest, AnImageByDigestIsPulledOnce) {
  const std::string image = "registry.test/web@sha256:" + std::string(64, 'a');
  have(image);
  EXPECT_EQ(pull(image), "");
  EXPECT_THAT(pulls(), ElementsAre());
}

TEST_F(PullTest, AlwaysMeansThatAFailedPullFailsTheContainer) {
  use(ImagePull::Always);
  have(kLatest);
  EXPECT_EQ(pull(), "");
  registry_answers(500, kUnreachable);
  EXPECT_THAT(pull(), HasSubstr("no such host"));
  EXPECT_THAT(pull(), HasSubstr("no such host"));
  EXPECT_THAT(pulls(), ElementsAre(kPull, kPull, kPull));
}

TEST_F(PullTest, OnceMeansOncePerMachineEvenIfTheAgentRestarts) {
  use(ImagePull::Once);
  have(kLatest);
  registry_answers(500, kUnreachable);
  EXPECT_THAT(pull(), HasSubstr("no such host")) << "the image of the machine was not pulled by a task";
  registry_answers(200, "{}");
  EXPECT_EQ(pull(), "");
  pulls();
  reopen();
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(pulls(), ElementsAre());
  engine_.with([](Engine& engine) { engine.images.clear(); });
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(pulls(), ElementsAre(kPull)) << "the image was removed";
}

TEST_F(PullTest, PreferCachedPullsOnlyMissingImages) {
  use(ImagePull::PreferCached);
  EXPECT_EQ(pull(), "");
  EXPECT_EQ(pull(), "");
  EXPECT_THAT(pulls(), ElementsAre(kPull));
}

TEST(ImageName, KnowsItsRegistry) {
  EXPECT_EQ(ImageName::parse("nginx").registry(), "docker.io");
  EXPECT_EQ(ImageName::parse("team/web:1").registry(), "docker.io");
  EXPECT_EQ(ImageName::parse("localhost/web:1").registry(), "localhost");
  EXPECT_EQ(ImageName::parse("127.0.0.1:5000/web:1").registry(), "127.0.0.1:5000");
  EXPECT_EQ(ImageName::parse("127.0.0.1:5000/web").tag, "latest");
  EXPECT_TRUE(ImageName::parse("a.b/web@sha256:00").by_digest());
}

TEST(UnreachableRegistries, AreTriedAgainAfterAPause) {
  const base::Time now = base::from_seconds(1'000'000);
  UnreachableRegistries registries;
  registries.add("a.test", now);
  EXPECT_TRUE(registries.contains("a.test", now));
  EXPECT_FALSE(registries.contains("b.test", now));
  EXPECT_FALSE(registries.contains("a.test", now + kUnreachableRegistryPause));
  EXPECT_FALSE(registries.contains("a.test", now - base::Duration(1))) << "the clock was set back";
}

}  // namespace
}  // namespace agent::drivers
